"""``ws.variants``: looked at, compared, tried again, switched between by a person, written out for review."""

from __future__ import annotations

import difflib
import getpass
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.core.errors import UsageError
from evolve.core.files import write_atomic
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.trials import UNLEARNED, Promotion, Variant
from evolve.workspace import loops
from evolve.workspace.arguments import BudgetLike, as_ledger
from evolve.workspace.resources.base import Resource
from evolve.workspace.services import WorkspaceServices

if TYPE_CHECKING:
    from evolve.improve.ablation import AblationReport
    from evolve.improve.optimization import AcceptedVariant
    from evolve.trials.gate import GateDecision

WORKFLOW = "workflow.toml"


@dataclass(frozen=True, kw_only=True)
class VariantRow:
    """One line of the list.

    Attributes:
        solved, tasks: Verified answers and episodes over all suites it was tried on.
        verdict: What the gate said last, or "".
        holds: Suites, models and policies besides its own on which it was tried again and found better.
    """

    digest: str
    parent: str
    origin: str
    active: bool
    solved: int
    tasks: int
    candidates: int
    tokens: int
    verdict: str
    holds: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ForgetResult:
    """What forgetting takes back.

    Attributes:
        variant, after: Digests of what is active and of what will be, or ``unlearned``.
        parts: What the one has and the other has not, or has otherwise; see
        :attr:`evolve.trials.Variant.parts`.
    """

    variant: str
    after: str
    parts: tuple[str, ...]


class Variants(Resource):
    """Everything that was tried, to look at, switch between and try again.

    Args:
        writable: Raises :class:`UsageError` where the workspace is open for reading only.
    """

    def __init__(self, services: WorkspaceServices, writable: Callable[[], None]) -> None:
        self._services, self._stores, self._paths = services, services.stores, services.paths
        self._writable = writable

    @property
    def active(self) -> str:
        """Digest of the active variant, or ``unlearned``."""
        return self._stores.variants.active_digest

    def list(self) -> Sequence[VariantRow]:
        """Every variant, oldest first."""
        verdicts = {decision.variant: decision.verdict for decision in self._stores.decisions.list_verdicts()}
        return [
            self._row(entry.digest, entry.variant.parent, entry.origin, verdicts)
            for entry in self._stores.variants.entries()
        ]

    def show(self, name: str) -> Mapping[str, Any]:
        """All that is known of one variant, as JSON.

        Raises:
            UsageError: There is no such variant.
        """
        digest = self._digest_of(name)
        variants = self._stores.variants
        origin = next(entry.origin for entry in variants.entries() if entry.digest == digest)
        verdicts = {decision.variant: decision.verdict for decision in self._stores.decisions.list_verdicts()}
        row = self._row(digest, variants.get(digest).parent, origin, verdicts)
        return {
            **variants.get(digest).to_json(),
            "digest": digest,
            "origin": row.origin,
            "active": row.active,
            "solved": row.solved,
            "tasks": row.tasks,
            "lineage": variants.lineage(digest),
            "decisions": [
                _decision(decision) for decision in self._stores.decisions.list_verdicts() if decision.variant == digest
            ],
            "measures": [{"kind": kind, **body} for kind, body in variants.measures_of(digest)],
            "transferable": list(row.holds),
            "overrides": [dict(override) for override in self._stores.decisions.overrides(digest)],
        }

    def measured(self, name: str) -> Sequence[AcceptedVariant | AblationReport | Mapping[str, Any]]:
        """What was measured of one variant: changes, credits of its items, and transfers as JSON; the oldest first.

        Raises:
            UsageError: There is no such variant.
        """
        return [_measure(kind, body) for kind, body in self._stores.variants.measures_of(self._digest_of(name))]

    def diff(self, name: str, other: str = "") -> str:
        """A unified diff of prompts and workflow, and of what else differs; without ``other`` from its parent."""
        digest = self._stores.variants.find(name)
        parent = UNLEARNED if digest == UNLEARNED else self._stores.variants.get(digest).parent
        before = self._stores.variants.find(other) if other else parent
        old, new = self.texts(before), self.texts(digest)
        lines = [*self._other_differences(before, digest)]
        for file in sorted({*old, *new}):
            names = (f"{before[:12]}/{file}", f"{digest[:12]}/{file}")
            lines += difflib.unified_diff(self._text(file, old), self._text(file, new), *names, lineterm="")
        return "\n".join(lines)

    def tree(self) -> str:
        """The lineage of all variants, indented."""
        rows = {row.digest: row for row in self.list()}
        return "\n".join(["unlearned" + ("  (active)" if self.active == UNLEARNED else ""), *_branch(rows, UNLEARNED)])

    def changes(self) -> Sequence[AcceptedVariant]:
        """What an optimiser changed on the way to the active variant, the oldest first."""
        from evolve.improve.optimization import AcceptedVariant

        variants = self._stores.variants
        line = [] if self.active == UNLEARNED else variants.lineage(self.active)[::-1]
        measures = [(kind, body) for name in line for kind, body in variants.measures_of(name)]
        return [AcceptedVariant.from_json(body) for kind, body in measures if kind == "change"]

    def texts(self, name: str) -> dict[str, str]:
        """Prompts and workflow that a variant changes, by file name; none for ``unlearned``."""
        if name == UNLEARNED:
            return {}
        variant, objects = self._stores.variants.get(name), self._stores.objects
        texts = {file: objects.get(body).decode() for file, body in variant.prompts}
        if variant.workflow:
            texts[WORKFLOW] = objects.get(variant.workflow).decode()
        return texts

    def promote(self, name: str, *, reason: str = "", person: str = "") -> Promotion:
        """Makes a variant the active one; past the gate only with a reason, which is logged.

        Raises:
            UsageError: There is no such variant, or the gate did not accept it and no reason is given.
        """
        digest = self._digest_of(name)
        accepted = [
            decision
            for decision in self._stores.decisions.list_verdicts()
            if decision.variant == digest and decision.verdict == "accept"
        ]
        if accepted:
            return self._stores.variants.promote(digest, grounds=f"gate decision {accepted[-1].id}, again")
        if not reason.strip():
            raise UsageError(
                f"the gate has not accepted {digest[:12]}, so a person has to say why it should act",
                hint=f'evolve lab variants promote {digest[:12]} --reason "..."',
            )
        who = person or _user()
        with self._stores.db.transaction():
            self._stores.decisions.override(digest, [], person=who, reason=reason)
            return self._stores.variants.promote(digest, grounds=f"override by {who}: {reason}")

    def transfer(self, variant: str, suite: str, *, budget: BudgetLike = None) -> Mapping[str, Any]:
        """Compares a variant with its parent on another suite, or with the model chosen now; promotes nothing.

        Raises:
            UsageError: There is no such variant, or this is where it was chosen.
        """
        from evolve.workspace.loops.optimizing import transfer

        self._writable()
        with self._services.lock.hold("transfer"):
            return transfer(self._services, variant, suite, as_ledger(budget))

    def ablate(self, request: loops.AblationRequest, *, budget: BudgetLike = None) -> AblationReport:
        """Credits the single items of a variant: it is tried against itself without each; decides nothing.

        The same call continues where a crash or Ctrl-C cut it off.

        Raises:
            UsageError: There is no such variant, it has no such item, or it is not known on which tasks to try it.
            BudgetExhausted: The budget ended before any pair of episodes.
        """
        from evolve.workspace.loops.ablation import ablate

        self._writable()
        with self._services.lock.hold("ablate"):
            return ablate(self._services, request, as_ledger(budget))

    def taken_back(self) -> ForgetResult | None:
        """What is taken back once every insight is forgotten; None where that changes nothing that is active.

        Nothing is while a skill is in use. What was promoted apart from insights and skills stays.
        """
        archive = self._stores.variants
        now, after = archive.active_digest, archive.apart_from_memory
        if now == after or self._stores.skills.active():
            return None
        old = Variant() if after == UNLEARNED else archive.get(after)
        new = archive.get(now)
        same = {name for name, _ in set(new.prompts) & set(old.prompts)}
        if new.workflow == old.workflow:
            same.add("workflow")
        return ForgetResult(variant=now, after=after, parts=tuple(part for part in new.parts if part not in same))

    def rollback(self) -> Promotion:
        """Goes back to what was active before; see :meth:`evolve.trials.VariantArchive.rollback`."""
        return self._stores.variants.rollback()

    def left_behind(self, name: str) -> Sequence[Path]:
        """Files in ``prompts/`` that say what a variant says: they act whether the variant is active or not."""
        files = [(self._paths.prompts / file, text) for file, text in self.texts(name).items()]
        return [path for path, text in files if path.is_file() and path.read_text("utf-8") == text]

    def write(self, name: str = "active", *, force: bool = False) -> Sequence[Path]:
        """Puts the prompts and the workflow that a variant changes into ``prompts/``, for review; gives the files.

        Raises:
            UsageError: It changes none, or a file there was edited by somebody and ``force`` is not given.
        """
        name = self._stores.variants.find(name)
        texts = self.texts(name)
        if not texts:
            raise UsageError("this variant changes neither prompts nor the workflow", hint="evolve lab variants list")
        seeds = PromptLayers()
        # All are looked at before one is written, so that a refusal changes nothing.
        for file, text in texts.items():
            path = self._paths.prompts / file
            if force or not path.is_file():
                continue
            if path.read_text("utf-8") not in (text, load_prompt(file, seeds), *self._earlier_texts(name, file)):
                raise UsageError(f"{path} was edited and would be replaced", hint="keep a copy, then add --force")
        self._paths.prompts.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            write_atomic(self._paths.prompts / file, text.encode())
        return [self._paths.prompts / file for file in sorted(texts)]

    def _earlier_texts(self, name: str, file: str) -> Iterator[str]:
        """What a prompt said before a variant and its forebears changed it."""
        line = set(self._stores.variants.lineage(name))
        yield from (self.texts(variant)[file] for variant in line if file in self.texts(variant))
        for run in {decision.run for decision in self._stores.decisions.list_verdicts() if decision.variant in line}:
            start = self._stores.runs.journal(run).done("start")
            if start and file in start["texts"]:
                yield str(start["texts"][file])

    def _digest_of(self, name: str) -> str:
        digest = self._stores.variants.find(name)
        if digest == UNLEARNED:
            raise UsageError("unlearned is no variant of its own", hint="evolve lab variants rollback")
        return digest

    def _row(self, digest: str, parent: str, origin: str, verdicts: Mapping[str, str]) -> VariantRow:
        return VariantRow(
            digest=digest,
            parent=parent,
            origin=origin,
            active=digest == self.active,
            **self._stores.runs.attempt_counts(digest),
            verdict=verdicts.get(digest, ""),
            holds=tuple(
                str(body["on"])
                for kind, body in self._stores.variants.measures_of(digest)
                if kind.startswith("transfer") and body.get("verdict") == "accept"
            ),
        )

    def _text(self, file: str, texts: Mapping[str, str]) -> Sequence[str]:
        """The lines in force for a file: the variant's, else the workspace's or the seed's."""
        layers = PromptLayers(variant=texts, workspace=self._paths.prompts)
        return load_prompt(file, layers).splitlines()

    def _other_differences(self, before: str, after: str) -> Iterator[str]:
        old = Variant() if before == UNLEARNED else self._stores.variants.get(before)
        new = Variant() if after == UNLEARNED else self._stores.variants.get(after)
        for field in ("guide", "insights"):
            if getattr(old, field) != getattr(new, field):
                yield f"{field}: {getattr(old, field)[:12] or 'none'} -> {getattr(new, field)[:12] or 'none'}"
        for sign, names in (("-", set(old.skills) - set(new.skills)), ("+", set(new.skills) - set(old.skills))):
            yield from (f"{sign} skill {name[:12]}" for name in sorted(names))


def _branch(rows: Mapping[str, VariantRow], parent: str, depth: int = 1) -> Iterator[str]:
    for row in rows.values():
        if row.parent == parent:
            marks = ", ".join(filter(None, [row.verdict, "active" if row.active else ""]))
            yield f"{'  ' * depth}{row.digest[:12]}  {row.origin}" + (f"  ({marks})" if marks else "")
            yield from _branch(rows, row.digest, depth + 1)


def _measure(kind: str, body: Mapping[str, Any]) -> AcceptedVariant | AblationReport | Mapping[str, Any]:
    if kind == "change":
        from evolve.improve.optimization import AcceptedVariant

        return AcceptedVariant.from_json(body)
    from evolve.improve.ablation import AblationReport

    return AblationReport.from_json(body) if kind.startswith("ablation") else {"kind": kind, **body}


def _decision(decision: GateDecision) -> dict[str, Any]:
    tally = decision.tally
    return {
        "run": decision.run,
        "verdict": decision.verdict,
        "parent": decision.parent,
        "wins": tally.wins,
        "losses": tally.losses,
        "ties": tally.ties,
        "reason": decision.reason,
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody without a name on this machine"
