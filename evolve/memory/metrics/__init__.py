"""Metrics induced from what people say about runs: named, with examples, and with what they explain."""

from __future__ import annotations

from evolve.memory.metrics.book import METRICS, MetricBook
from evolve.memory.metrics.metric import Comment, Metric, MetricsReport, Overlap, Remark

__all__ = ["METRICS", "Comment", "Metric", "MetricBook", "MetricsReport", "Overlap", "Remark"]
