"""The metrics on record: induced from comments, added to as comments come, changed and forgotten by a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, value_of
from evolve.workspace.resources.evaluators import named_evaluator
from evolve.workspace.resources.preferences import Comment
from evolve_evaluators.grouping import NEAR, groups, key_terms, remarks_in, sign_of, topic_vectors
from evolve_evaluators.metric import Metric, MetricsReport, Remark, report

if TYPE_CHECKING:
    from evolve.runtime.retrieval import Embedder

_DISMISSED = "-"
"""In place of a metric: it was forgotten, and its remarks induce no other."""


class MetricBook:
    """Metrics and the remarks that they gather.

    Args:
        db: The record.
        own_words: What a text says besides what it quotes.
    """

    def __init__(self, db: Database, embedder: Embedder, own_words: Callable[[str], str]) -> None:
        self._db = db
        self._embedder = embedder
        self._own_words = own_words

    def induce(self, comments: Sequence[Comment]) -> list[Metric]:
        """Takes in comments that are new; gives the metrics that came of it.

        A remark joins the metric whose remarks it is nearest to; those that are left become metrics of their own
        where remarks of two comments or more belong together. What was induced or edited before stays as it is.
        Remarks of a metric that the record lost are gathered again.
        """
        before = {metric.id for metric in self.all()}
        lost = "metric NOT IN ('', '-') AND metric NOT IN (SELECT id FROM memory_metrics)"
        with self._db.transaction():
            self._db.update("memory_remarks", lost, {"metric": ""})
            for comment in comments:
                self._keep_remarks(comment)
            self._assign_to_nearest()
            self._form_metrics()
        return [metric for metric in self.all() if metric.id not in before]

    def all(self) -> list[Metric]:
        """All metrics, oldest first.

        Raises:
            RecordDamaged: A row does not match its checksum.
        """
        gathered: dict[str, list[Remark]] = {}
        for row in self._db.rows("memory_remarks", "metric NOT IN ('', '-')", order="seq"):
            gathered.setdefault(str(row["metric"]), []).append(value_of(Remark, row))
        return [
            value_of(Metric, row, edited=bool(row["edited"]), examples=tuple(gathered.get(str(row["id"]), ())))
            for row in self._db.rows("memory_metrics", order="seq")
        ]

    def get(self, name: str) -> Metric:
        """One metric by name, by id, or by a beginning of the id that names only one.

        Raises:
            UsageError: There is none, or more than one.
        """
        return named_evaluator(name, self.all())

    def edit(self, name: str, *, new_name: str | None = None, definition: str | None = None) -> Metric:
        """Changes what a metric is called or how it is defined.

        Raises:
            UsageError: There is no such metric, a text is empty, or another metric has the name.
        """
        metric = self.get(name)
        changes: dict[str, Any] = {"edited": 1}
        for key, value in (("name", new_name), ("definition", definition)):
            if value is not None:
                changes[key] = " ".join(value.split())
                if not changes[key]:
                    raise UsageError(f"the {key} of a metric needs some text")
        if any(other.name == new_name for other in self.all() if other.id != metric.id):
            raise UsageError(f"there is a metric called {new_name!r} already")
        self._db.update("memory_metrics", {"id": metric.id}, changes)
        return self.get(metric.id)

    def forget(self, names: Sequence[str]) -> int:
        """Deletes metrics; gives how many. The comments stay, and make no metric again by themselves.

        Raises:
            UsageError: One is unknown; then nothing is deleted.
        """
        chosen = sorted({self.get(name).id for name in names})
        with self._db.transaction():
            for name in chosen:
                self._db.delete("memory_metrics", {"id": name})
                # Not freed: what a person deleted must not come back by itself.
                self._db.update("memory_remarks", {"metric": name}, {"metric": _DISMISSED})
        return len(chosen)

    def report(self) -> MetricsReport:
        """Which share of the comments the metrics explain, and how much they say the same."""
        spoken: dict[str, list[str]] = {}
        for row in self._db.rows("memory_remarks", order="seq"):
            spoken.setdefault(str(row["comment"]), []).append(str(row["metric"]))
        return report(self.all(), spoken)

    def _keep_remarks(self, comment: Comment) -> None:
        for place, text in enumerate(remarks_in(self._own_words(comment.text))):
            row: dict[str, Any] = {
                "id": digest(canonical_json([comment.id, place]))[:32],
                "comment": comment.id,
                "run": comment.run,
                "text": text,
                "sign": sign_of(text),
                "metric": "",
            }
            self._db.insert("memory_remarks", row, key="id")

    def _unassigned(self) -> list[Remark]:
        return [value_of(Remark, row) for row in self._db.rows("memory_remarks", {"metric": ""}, order="seq")]

    def _assign_to_nearest(self) -> None:
        """Gives each unassigned remark to the metric whose examples it is nearest to, if it is near."""
        metrics, free = self.all(), self._unassigned()
        examples = [(metric.id, example.text) for metric in metrics for example in metric.examples]
        if not examples or not free:
            return
        vectors = topic_vectors(self._embedder, [text for _, text in examples] + [remark.text for remark in free])
        near = vectors[len(examples) :] @ vectors[: len(examples)].T
        for row, remark in zip(near, free, strict=True):
            by_metric: dict[str, list[float]] = {}
            for (name, _), value in zip(examples, row, strict=True):
                by_metric.setdefault(name, []).append(float(value))
            # Average linkage, as where metrics are formed.
            means = {name: sum(values) / len(values) for name, values in by_metric.items()}
            best = max(means, key=lambda name: means[name])
            if means[best] > NEAR:
                self._db.update("memory_remarks", {"id": remark.id}, {"metric": best})

    def _form_metrics(self) -> None:
        """Makes metrics of the groups that the remarks left over fall into."""
        free = self._unassigned()
        texts = [remark.text for remark in free]
        everything = [str(row["text"]) for row in self._db.rows("memory_remarks", order="seq")]
        for places in groups(topic_vectors(self._embedder, texts)) if texts else []:
            members = [free[place] for place in places]
            # What one comment says several times is still one opinion.
            if len({remark.comment for remark in members}) < 2:
                continue
            terms = key_terms([remark.text for remark in members], everything)
            name = self._unused_name("-".join(terms) or "remarks")
            definition = f'What people say about {" and ".join(terms)}, such as: "{members[0].text}".'
            metric = digest(canonical_json([remark.id for remark in members]))[:32]
            row: dict[str, Any] = {"id": metric, "name": name, "definition": definition, "edited": 0}
            self._db.insert("memory_metrics", row, key="id")
            for remark in members:
                self._db.update("memory_remarks", {"id": remark.id}, {"metric": metric})

    def _unused_name(self, name: str) -> str:
        taken = {metric.name for metric in self.all()}
        number = 1
        while (chosen := name if number == 1 else f"{name}-{number}") in taken:
            number += 1
        return chosen
