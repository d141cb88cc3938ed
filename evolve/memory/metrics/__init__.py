"""Metrics induced from what people say about runs: named, with examples, and with what they explain."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.memory.metrics.book import MetricBook
    from evolve.memory.metrics.metric import Comment, Metric, MetricsReport, Overlap, Remark
else:
    __getattr__, __dir__ = attach(__name__)
