"""A model behind an endpoint: asks until there is a reply that can be used, or says why there is none."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evolve.cancellation import Cancellation
from evolve.errors import BudgetExhausted, EndpointProblem, ModelMistake, NotRecorded, UsageError
from evolve.ledger import Budget, Ledger
from evolve.models.abilities import Abilities, AbilityBook
from evolve.models.addressing import Endpoint
from evolve.models.bodies import Wording, adapt_to_refusal, exchange_of, with_form, with_repair
from evolve.models.overflow import overflow
from evolve.models.prices import Price
from evolve.models.protocol import Meter, ModelReply, ModelRequest, OnDelta, Rung, Usage
from evolve.models.replies import DeltaReader, Parts, Unusable, read_reply
from evolve.models.retries import Breaker, RetryRules
from evolve.models.secret_cleaning import CODE, clean_reply, clean_request
from evolve.models.structure import RUNGS, extract
from evolve.models.tokens import likely_prompt_tokens, likely_tokens, most_prompt_tokens, most_tokens
from evolve.models.trimming import trim
from evolve.models.wire import Deadlines, Exchange, Failure, Received, Wire
from evolve.redaction import Scanner, StreamCleaner

_ADAPTATIONS = 6
# One schema that a host does not take must not take structured replies from all others.
_SCHEMA_REFUSED = re.compile(r"invalid schema|invalid_json_schema|schema is (invalid|too)", re.IGNORECASE)
_SHARE_OF_TIME_LEFT = 0.98  # of the time that is left, since some passes before the call begins
_HINTS = {
    "access": "set OPENAI_API_KEY (or EVOLVE_API_KEY for other endpoints), then `evolve models check`",
    "missing": "`evolve models list` shows the models of the endpoint",
    "connect": "check the address with `evolve models check`; the same command goes on where it stopped",
    "offline": "the same command with --record in place of --replay asks for what is missing and adds it",
}


@dataclass(frozen=True, kw_only=True)
class Services:
    """What an :class:`EndpointModel` works with; every default is usable.

    Attributes:
        meter: The ledger of the run; by default nothing is bounded.
        price: None where it is not known; then money cannot be limited.
        repairs: How often a model is told what is wrong with its reply before that counts as its mistake.
        sleep: Waits; replaced where nobody wants to.
        scanner: Knows the secrets that are in no prompt and no reply; the wire cleans what comes whole.
        clock: Monotonic seconds.
        rng: Source of jitter.
    """

    wire: Wire
    wording: Wording
    meter: Meter = field(default_factory=lambda: Ledger(Budget()))
    price: Price | None = None
    abilities: AbilityBook = field(default_factory=AbilityBook)
    rules: RetryRules = field(default_factory=RetryRules)
    deadlines: Deadlines = field(default_factory=Deadlines)
    breaker: Breaker = field(default_factory=lambda: Breaker(time.monotonic))
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    repairs: int = 2
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    scanner: Scanner = field(default_factory=Scanner)


class EndpointModel:
    """A :class:`evolve.models.ChatModel` over HTTP. May be used from several threads.

    Args:
        endpoint: Which model, where.
        services: What it works with.
    """

    def __init__(self, endpoint: Endpoint, services: Services) -> None:
        self.endpoint = endpoint
        self.services = services
        self.name = endpoint.name

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks; see :meth:`evolve.models.ChatModel.complete`.

        Raises:
            UsageError: A limit in money was set, and the model's price is not known.
        """
        # An unknown price is no price of zero.
        if self.services.price is None and self.services.meter.left.money is not None:
            raise UsageError(
                f"the price of {self.name} is not known, so a limit in money cannot be kept",
                hint="add it to prices.toml in the workspace, or limit tokens instead: --budget 2M-tokens",
            )
        asking = _RequestRun(self.endpoint, self.services, request, on_delta)
        asking.cancellation = cancellation
        return asking.run()

    def close(self) -> None:
        """Closes its connections."""
        self.services.wire.close()


class _RequestRun:
    """Carries one request to a usable reply: its calls, with repairs, retries and ways around refusals."""

    def __init__(self, endpoint: Endpoint, services: Services, request: ModelRequest, on_delta: OnDelta | None) -> None:
        self.endpoint, self.services, self.on_delta = endpoint, services, on_delta
        self.request = clean_request(request, services.scanner)
        self.abilities: Abilities = services.abilities.of(endpoint)
        self.rung: Rung = "text" if request.schema is None else self.abilities.best_rung
        self.used = Usage()
        self.calls = 0
        self.retries = 0
        self.dropped: tuple[str, ...] = ()
        self.adaptations = 0
        self.streamed, self.shown = False, StreamCleaner(services.scanner)
        self.was_too_long = False
        self.cancellation: Cancellation | None = None
        self.heard, self.pieces = "", 0

    def run(self) -> ModelReply:
        repairs = 0
        while True:
            answer = self.answer()
            why = answer.why if isinstance(answer, Unusable) else ""
            if isinstance(answer, Parts):
                reply, why = self.accepted(answer)
                if reply is not None:
                    self.services.abilities.keep(self.endpoint, self.abilities)
                    return reply
            if repairs == self.services.repairs:
                raise ModelMistake(f"{self.endpoint.name} gave no usable reply in {repairs + 1} tries: {why}")
            repairs += 1
            if isinstance(answer, Parts):
                repaired = with_repair(self.request, answer.text, why, self.services.wording)
                self.request = clean_request(repaired, self.services.scanner)
            else:
                self.retries += 1  # there is nothing to show it; it is asked once more

    def accepted(self, parts: Parts) -> tuple[ModelReply | None, str]:
        """The reply, or None and what is wrong with it."""
        reply = ModelReply(
            text=self.services.scanner.clean(parts.text),
            usage=self.used,
            model=parts.model or self.endpoint.model,
            finish=parts.finish,
            calls=self.calls,
            rung=self.rung,
            dropped=self.dropped,
        )
        if self.request.schema is None or reply.refused:
            return reply, ""
        extracted = extract(parts.text, self.request.schema)
        if extracted.why:
            cut = f" (cut off at {self.request.max_tokens} tokens)" if parts.finish == "length" else ""
            return None, self.services.scanner.clean(extracted.why) + cut  # it may quote what was escaped in the text
        self.abilities = self.abilities.with_rung(self.rung, True)
        # Inside a text the value was escaped, so the cleaning of the text may have missed what it holds.
        return replace(reply, data=clean_reply(extracted.value, self.services.scanner)), ""

    def answer(self) -> Parts | Unusable:
        """One reply, whatever it is worth; trouble on the way is waited out or worked around."""
        failures = 0
        while True:
            self.wait_for_breaker()
            exchange = self.exchange()
            outcome = self.call_once(exchange)
            # Also of success, which closes the breaker again.
            self.services.breaker.note(outcome if isinstance(outcome, Failure) else None)
            if not isinstance(outcome, Failure):
                return outcome
            if self.work_around(exchange, outcome):
                continue
            failures += 1
            if not outcome.retryable or failures >= self.services.rules.attempts:
                raise self.endpoint_problem(outcome, failures)
            self.pause(self.services.rules.wait(failures, outcome, self.services.rng), outcome)

    def exchange(self) -> Exchange:
        request = with_form(self.request, self.rung, self.services.wording)
        stream = self.on_delta is not None and self.abilities.streams is not False
        exchange = exchange_of(self.endpoint, request, self.rung, self.abilities, stream=stream, attempt=self.retries)
        return replace(exchange, gives_code=self.gives_code)

    @property
    def gives_code(self) -> bool:
        """Whether the reply holds code that may be executed."""
        return CODE in (self.request.schema or {}).get("properties", {})

    def call_once(self, exchange: Exchange) -> Parts | Unusable | Failure:
        """One call inside the budget: the most it can cost is set aside before, what it did cost booked after."""
        self.check()
        services, left = self.services, self.services.meter.left.seconds
        # The call ends with the budget of time, so that it cannot take longer than was set aside.
        total = services.deadlines.total if left is None else min(services.deadlines.total, left * _SHARE_OF_TIME_LEFT)
        most = self.most(exchange, total)
        if not services.meter.reserve(most):
            raise BudgetExhausted(self.over_budget(most), tokens=most.tokens)
        cost, started = most, services.clock()  # lost, it may have cost all that
        self.heard, self.pieces = "", 0
        try:
            deadlines = replace(services.deadlines, total=total, cancellation=self.cancellation)
            received = services.wire.send(exchange, deadlines, self.listener(exchange))
            outcome, cost = self.read(received, exchange, most)
            if isinstance(outcome, Failure) and self.cancellation is not None and self.cancellation.requested:
                cost = self.so_far(exchange, most)
            self.check()
        except KeyboardInterrupt:
            cost = self.so_far(exchange, most)
            raise
        finally:
            cost = replace(cost, seconds=max(0.0, services.clock() - started))
            services.meter.settle(most, cost)
        self.used += cost
        self.calls += cost.calls
        if isinstance(outcome, Parts):
            self.tell(exchange, outcome)
        return outcome

    def tell(self, exchange: Exchange, said: Parts) -> None:
        """Says the text at once, to whoever wanted it in pieces and got none."""
        if exchange.streamed and said.finish not in ("filter", "refusal"):
            self.abilities = replace(self.abilities, streams=self.streamed)
        rest = self.shown.close() if self.streamed else self.services.scanner.clean(said.text)
        if self.on_delta is not None and rest:
            self.on_delta(rest)

    def most(self, exchange: Exchange, seconds: float) -> Usage:
        """The most that a call can cost."""
        prompt, completion = most_prompt_tokens(exchange.body), self.request.max_tokens
        return replace(self.usage(prompt, completion, estimated=True), seconds=seconds)

    def so_far(self, exchange: Exchange, most: Usage) -> Usage:
        """About what a call that a person stopped has cost: what was sent, and what had come by then."""
        # Most servers send a piece for each token, what a model thinks in silence included.
        completion = max(likely_tokens(self.heard), self.pieces)
        prompt = likely_prompt_tokens(exchange.body)
        return self.usage(min(prompt, most.prompt), min(completion, most.completion), estimated=True)

    def usage(self, prompt: int, completion: int, cached: int = 0, *, estimated: bool = False) -> Usage:
        price = self.services.price
        return Usage(
            prompt=prompt,
            completion=completion,
            cached=cached,
            money=price.of(prompt, completion, cached) if price is not None else 0.0,
            calls=1,
            estimated=estimated,
            priced=price is not None,
        )

    def read(
        self, received: Received | Failure, exchange: Exchange, most: Usage
    ) -> tuple[Parts | Unusable | Failure, Usage]:
        """Parses what came; gives it with what it cost."""
        if isinstance(received, Failure):
            return received, most if received.billed else Usage(calls=int(received.status > 0))
        reply = read_reply(received.content, streamed=exchange.streamed, path=exchange.path)
        if isinstance(reply, Unusable):
            # Part of a text is no answer, and the whole of it may be charged.
            if reply.cut:
                return Failure(kind="broken", text=reply.why or "the stream ended before the reply did"), most
            if reply.failed:
                return Failure(kind="server", text=reply.why), Usage(calls=1)
            return reply, Usage() if received.replayed else most
        scanner = self.services.scanner.for_code if self.gives_code else self.services.scanner
        reply = replace(reply, text=scanner.clean(reply.text))  # parts of a text can share a secret
        if received.replayed:
            return reply, Usage()
        completion = reply.completion
        if completion is None:
            # An upper bound, so that a budget is never passed because an endpoint does not count.
            completion = min(most.completion, most_tokens(reply.text))
        prompt = most.prompt if reply.prompt is None else reply.prompt
        unsure = reply.completion is None or reply.prompt is None
        return reply, self.usage(prompt, completion, reply.cached, estimated=unsure)

    def listener(self, exchange: Exchange) -> Callable[[bytes], None] | None:
        """Hands on the text of a stream while it comes; None where nobody listens or nothing streams."""
        if self.on_delta is None or not exchange.streamed:
            return None
        reader, emit, cleaner = DeltaReader(exchange.path), self.on_delta, StreamCleaner(self.services.scanner)
        self.streamed, self.shown = False, cleaner
        # An empty piece: what a failed call said before is not part of this reply.
        emit("")

        def listen(piece: bytes) -> None:
            text = reader.feed(piece)
            self.heard, self.pieces = self.heard + text, self.pieces + piece.count(b"data:")
            self.streamed = self.streamed or bool(text)
            clean = cleaner.feed(text)
            if clean:
                emit(clean)

        return listen

    def work_around(self, exchange: Exchange, failure: Failure) -> bool:
        """Changes the next call so that it may work where this one failed; False where nothing can be changed."""
        if failure.kind == "context":
            return self.shorten(failure)
        self.adaptations += 1
        if self.adaptations > _ADAPTATIONS:
            return False
        if failure.kind in ("request", "missing"):
            other = adapt_to_refusal(self.abilities, exchange, failure)
            if other is not None:
                self.abilities = other
                return True
        return self.step_down(failure)

    def step_down(self, failure: Failure) -> bool:
        """Goes on to the next way of asking for structure, where this one may be what the endpoint refuses."""
        untried = self.rung not in self.abilities.rungs
        # Some servers fail on a form that they do not know, instead of refusing it.
        refused = failure.kind == "request" or (failure.status in (500, 501) and untried)
        if not refused or self.rung not in RUNGS[:-1]:
            return False
        if not _SCHEMA_REFUSED.search(failure.text):
            self.abilities = self.abilities.with_rung(self.rung, False)  # else another schema may do
        self.rung = RUNGS[RUNGS.index(self.rung) + 1]
        return True

    def shorten(self, failure: Failure) -> bool:
        """Asks for less, or leaves out parts of the prompt; False where neither can be."""
        if self.was_too_long:
            return False  # one try; a second would only lose more
        self.was_too_long, figures = True, overflow(failure.text)
        room = figures.reply(self.request.max_tokens)
        if room is not None:
            self.request = replace(self.request, max_tokens=room)  # nothing of the prompt is lost
            return True
        shorter = trim(self.request.messages, figures.share(self.request.max_tokens))
        if shorter is None:
            return False
        messages, self.dropped = shorter
        self.request = replace(self.request, messages=tuple(messages))
        return True

    def wait_for_breaker(self) -> None:
        seconds = self.services.breaker.wait()
        if seconds > 0:
            raise EndpointProblem(
                f"{self.endpoint.name} failed too often; it is left alone for {seconds:.0f} s more",
                hint="the same command goes on where it stopped",
            )

    def pause(self, seconds: float, failure: Failure) -> None:
        left = self.services.meter.left.seconds
        # Waiting would use up the rest of the budget for nothing.
        if left is not None and seconds >= left:
            raise BudgetExhausted(
                f"the time budget ends before {self.endpoint.name} may be asked again: {failure.text}"
            )
        if self.cancellation is not None:
            self.cancellation.wait(seconds)
        else:
            self.services.sleep(seconds)

    def check(self) -> None:
        """Raises :class:`Cancelled` once the person asked to stop."""
        if self.cancellation is not None:
            self.cancellation.check()

    def endpoint_problem(self, failure: Failure, failures: int) -> EndpointProblem:
        times = f" ({failures} times)" if failures > 1 else ""
        hint = _HINTS.get(failure.kind, "the same command goes on where it stopped" if failure.retryable else "")
        if failure.kind == "limit" and failure.final:
            hint = "the account's quota is used up: raise it, or choose another model"
        if failure.kind == "context":
            hint = "choose a model with a longer context, or give fewer rows"
        kind = NotRecorded if failure.kind == "offline" else EndpointProblem
        return kind(f"{self.endpoint.name}: {failure.text}{times}", retryable=failure.retryable, hint=hint)

    def over_budget(self, most: Usage) -> str:
        reached = self.services.meter.exhausted
        money = f" and ${most.money:.4f}" if most.money else ""
        return reached or f"the next call may take {most.tokens:,} tokens{money}, and less than that is left"
