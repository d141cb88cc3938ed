"""Metrics induced from what people say about runs: named, with examples, and with what they explain."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.memory.metrics.book import MetricBook
    from evolve.memory.metrics.metric import Comment, Metric, MetricsReport, Overlap, Remark
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".book": "MetricBook",
            ".metric": "Comment Metric MetricsReport Overlap Remark",
        },
    )
