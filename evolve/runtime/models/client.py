"""A model behind an endpoint: asks until there is a reply that can be used, or says why there is none."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace

from evolve.core.cancellation import Cancellation
from evolve.core.errors import BudgetExhausted, Cancelled, EndpointProblem, ModelMistake, PromptTooLong, UsageError
from evolve.core.progress import report_activity
from evolve.core.redaction import Scanner
from evolve.runtime.models import requests
from evolve.runtime.models.abilities import limits_of, offered_window
from evolve.runtime.models.addressing import Endpoint
from evolve.runtime.models.costs import ExpectedCost
from evolve.runtime.models.overflow import parse_overflow, trim
from evolve.runtime.models.protocol import ModelReply, ModelRequest, OnDelta, Rung, TokenLimits, Usage
from evolve.runtime.models.replies import NO_ROOM, ONLY_THOUGHTS, ReplyParts, UnusableReply, read_reply
from evolve.runtime.models.retries import ModelClientSetup
from evolve.runtime.models.secret_cleaning import CODE, clean_reply, clean_request
from evolve.runtime.models.structure import RUNGS, extract
from evolve.runtime.models.thoughts import answer_in, signed_reasoning
from evolve.runtime.models.tokens import most_prompt_tokens
from evolve.runtime.models.wire import (
    CodeAt,
    Exchange,
    ExchangeFailure,
    RawReply,
    ReplyListener,
    endpoint_problem,
    over_budget,
    unusable_problem,
)
from evolve.runtime.retrieval.text_overlap import repeats

_ADAPTATIONS, _CONTINUATIONS = 6, 3
_ENLARGEMENT = 4
_ROOM_TO_THINK = 2  # once: who thinks through that too will not stop at more
_SCHEMA_REFUSED = re.compile(r"invalid schema|invalid_json_schema|schema is (invalid|too)", re.IGNORECASE)
_SHARE_OF_TIME_LEFT = 0.98  # of the time that is left, since some passes before the call begins


class EndpointModel:
    """A :class:`evolve.runtime.models.ChatModel` over HTTP. May be used from several threads.

    Args:
        endpoint: Which model, where.
        services: What it works with.
    """

    def __init__(self, endpoint: Endpoint, services: ModelClientSetup) -> None:
        self.endpoint = endpoint
        self.services = services
        self.name = endpoint.name
        self._offered: tuple[int | None] | None = None
        self._guard = threading.Lock()
        self._answered = threading.Event()  # something came that a model wrote as its answer

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks; see :meth:`evolve.runtime.models.ChatModel.complete`.

        Raises:
            UsageError: A limit in money was set, and the model's price is not known.
        """
        if self.services.price is None and self.services.meter.remaining.money is not None:
            raise UsageError(
                f"the price of {self.name} is not known, so a limit in money cannot be kept",
                hint="add it to prices.toml in the workspace, or limit tokens instead: --budget 2M-tokens",
            )
        asking = _RequestRun(self.endpoint, self.services, request, on_delta)
        asking.cancellation, asking.answered = cancellation, self._answered
        return asking.run()

    def limits(self, role: str = "act") -> TokenLimits:
        """How much fits, by the price list, by what the endpoint lists, and by what it refused.

        Where no list is known that has the model, the endpoint is asked once for its own.
        """
        services, window = self.services, self.services.window
        found = services.abilities.abilities_of(self.endpoint)
        if window is None and found.window is None:
            with self._guard:
                self._offered = self._offered or (offered_window(self.endpoint, services.wire),)
            window = self._offered[0]
        return limits_of(window, found)

    def close(self) -> None:
        """Closes its connections."""
        self.services.wire.close()


class _RequestRun:
    """Carries one request to a usable reply: its calls, with repairs, retries and ways around refusals."""

    def __init__(
        self, endpoint: Endpoint, services: ModelClientSetup, request: ModelRequest, on_delta: OnDelta | None
    ) -> None:
        self.endpoint, self.services = endpoint, services
        self.listener = None if on_delta is None else ReplyListener(on_delta, services.scanner, endpoint.name)
        self.request = self.whole = clean_request(request, services.scanner)
        self.abilities = self.known = services.abilities.abilities_of(endpoint)
        self.rung: Rung = "text" if request.schema is None else self.abilities.best_rung
        self.used = Usage()
        self.calls = 0
        self.retries = self.adaptations = 0
        self.dropped: tuple[str, ...] = ()
        self.was_too_long, self.heeded = False, True
        self.cancellation: Cancellation | None = None
        self.answered, self.thought_through = threading.Event(), False
        self.begun: ModelReply | None = None  # a text that was cut off, all of it that there is
        self.continuations, self.calls_for_rest, self.attempt = 0, 0, ""

    def run(self) -> ModelReply:
        try:
            reply = self.usable()
            while self.goes_on(reply):
                if self.begun is None:
                    self.whole = self.request  # as it got through, without what had to be left out
                self.begun, self.continuations, self.calls_for_rest = reply, self.continuations + 1, 0
                self.request = requests.with_rest_asked(self.whole, reply.as_message(), self.services.wording)
                reply = self.usable()
        except (BudgetExhausted, PromptTooLong, ModelMistake):
            if self.begun is None:
                raise
            reply = replace(self.begun, usage=self.used, calls=self.calls)  # cut off, as its finish says
        self.services.abilities.save(self.endpoint, self.abilities, self.known)
        return reply

    def goes_on(self, reply: ModelReply) -> bool:
        """Whether a reply is a text that was cut off, of which more may be asked for; a recital is none."""
        cut = reply.finish == "length" and self.request.schema is None
        return cut and self.continuations < _CONTINUATIONS and not repeats(reply.text, self.request.messages[0].text)

    def usable(self) -> ModelReply:
        """A reply that satisfies the request, though it may be cut off."""
        repairs = 0
        while True:
            answer = self.answer()
            why = answer.why if isinstance(answer, UnusableReply) else ""
            if isinstance(answer, ReplyParts):
                reply, why = self.accepted(answer)
                if reply is not None:
                    return reply
            self.note_form(answer)
            thought = why == NO_ROOM
            over = not self.given_room_to_think() if thought else repairs >= self.services.repairs
            if over:
                if thought:
                    why += f", {requests.reply_room(self.request, self.abilities):,} tokens"
                raise unusable_problem(self.endpoint.name, why, repairs + 1, answered=self.answered.is_set())
            repairs += 1
            self.told_again(repairs + 1, 2 if thought else self.services.repairs + 1, why)
            if thought or (answer.cut_short and self.given_room(_ENLARGEMENT)):
                continue
            if isinstance(answer, ReplyParts):
                repaired = requests.with_repair(self.request, answer.text, why, self.services.wording)
                self.request = clean_request(repaired, self.services.scanner)
            else:
                self.retries += 1  # there is nothing to show it; it is asked once more

    def note_form(self, unusable: ReplyParts | UnusableReply) -> None:
        """Remembers an endpoint that does not keep to a schema beside the prompt: later prompts tell it in words."""
        if self.rung == "json_schema" and isinstance(unusable, ReplyParts) and not unusable.cut_short:
            self.heeded, self.abilities = False, self.abilities.with_rung(self.rung, False)
            self.services.abilities.save(self.endpoint, self.abilities, self.known)

    def given_room_to_think(self) -> bool:
        """Lets a model that thought until the end of its room have more of it; False from the second time on."""
        first, self.thought_through = not self.thought_through, True
        return first and self.given_room(_ROOM_TO_THINK)

    def given_room(self, times: int) -> bool:
        """Lets the next reply be longer; False where it may not be."""
        window = limits_of(self.services.window, self.abilities).window
        most = min(requests.reply_room(self.request, self.abilities) * times, self.abilities.reply or window // 2)
        if most <= self.request.max_tokens:
            return False
        self.request = replace(self.request, max_tokens=most)
        return True

    def accepted(self, parts: ReplyParts) -> tuple[ModelReply | None, str]:
        """The reply, or None and what is wrong with it."""
        text = parts.text if self.begun is None else self.begun.text + parts.text
        said = answer_in(text)
        if not (said.text.strip() or parts.refused):
            return None, NO_ROOM if said.unclosed and parts.cut_short else ONLY_THOUGHTS
        self.answered.set()
        text = said.text if self.request.schema is None else text
        reply = ModelReply(
            text=self.scanner.redact_text(text),
            usage=self.used,
            model=parts.model or self.endpoint.model,
            finish=parts.finish,
            calls=self.calls,
            rung=self.rung,
            dropped=self.dropped,
            # Of a reply in several parts none belongs to the whole.
            reasoning={} if self.begun else signed_reasoning(parts.reasoning, self.endpoint.name),
        )
        if self.request.schema is None or reply.refused:
            return reply, ""
        extracted = extract(parts.text, self.request.schema)
        if extracted.why:
            cut = f" (cut off at {self.request.max_tokens} tokens)" if parts.finish == "length" else ""
            # It may quote what was escaped in the text.
            return None, self.services.scanner.redact_text(extracted.why) + cut
        self.abilities = self.abilities.with_rung(self.rung, self.heeded)
        # Inside a text the value was escaped, so the cleaning of the text may have missed what it holds.
        return replace(reply, data=clean_reply(extracted.value, self.services.scanner)), ""

    def answer(self) -> ReplyParts | UnusableReply:
        """One reply, whatever it is worth; trouble on the way is waited out or worked around."""
        failures = 0
        while True:
            seconds = self.services.breaker.wait()
            if seconds > 0:
                raise EndpointProblem(
                    f"{self.endpoint.name} failed too often; it is left alone for {seconds:.0f} s more",
                    hint="the same command goes on where it stopped",
                )
            exchange = self.exchange()
            with report_activity("model", self.endpoint.name + self.attempt):
                outcome = self.call_once(exchange)
            # Also of success, which closes the breaker again.
            self.services.breaker.record_attempt(outcome if isinstance(outcome, ExchangeFailure) else None)
            if not isinstance(outcome, ExchangeFailure):
                return outcome
            if self.work_around(exchange, outcome):
                continue
            failures += 1
            most = self.services.rules.max_calls(outcome)
            if not outcome.is_retryable or failures >= most:
                raise endpoint_problem(self.endpoint.name, outcome, failures)
            self.told_again(failures + 1, most, outcome.text)
            with report_activity("retry", f"{self.endpoint.name}, {outcome.text}"):
                self.pause(self.services.rules.wait(failures, outcome, self.services.rng), outcome)

    def exchange(self) -> Exchange:
        request = requests.with_form(self.request, self.rung, self.services.wording)
        stream = self.listener is not None and self.abilities.streams is not False
        exchange = requests.exchange_of(
            self.endpoint, request, self.rung, self.abilities, stream=stream, attempt=self.retries
        )
        return replace(exchange, gives_code=self.gives_code)

    @property
    def gives_code(self) -> CodeAt:
        """Where the reply holds code that may be executed."""
        if self.request.schema is None:
            return "text" if self.request.code else ""
        return "field" if self.request.code or CODE in self.request.schema.get("properties", {}) else ""

    @property
    def scanner(self) -> Scanner:
        """What looks for secrets in a text of the reply."""
        return self.services.scanner.for_code if self.gives_code == "text" else self.services.scanner

    def call_once(self, exchange: Exchange) -> ReplyParts | UnusableReply | ExchangeFailure:
        """One call inside the budget: what it will hardly pass is set aside before, what it did cost booked after."""
        self.check()
        services, left = self.services, self.services.meter.remaining.seconds
        total = services.deadlines.total if left is None else min(services.deadlines.total, left * _SHARE_OF_TIME_LEFT)
        expected = ExpectedCost(
            price=services.price,
            abilities=self.abilities,
            body=exchange.body,
            room=requests.reply_room(self.request, self.abilities),
            seconds=total,
        )
        if not services.meter.reserve(expected.set_aside):
            raise over_budget(services.meter.exhausted_bound, expected.set_aside)
        cost, started = expected.most_usage, services.clock()  # interrupted or lost, it may have cost all that
        try:
            deadlines = replace(services.deadlines, total=total, cancellation=self.cancellation)
            received = services.wire.send(exchange, deadlines, self.hears(exchange))
            self.check()
            outcome, cost = self.read(received, exchange, expected)
        except Cancelled:
            # A host goes on no longer than somebody reads what it streams.
            heard = self.listener.received_bytes if self.listener is not None else 0
            cost = expected.until_stopped(heard) if heard else expected.most_usage
            raise
        finally:
            cost = replace(cost, seconds=max(0.0, services.clock() - started))
            services.meter.settle(expected.set_aside, cost)
        self.used += cost
        self.calls += cost.calls
        if isinstance(outcome, ReplyParts):
            self.tell(exchange, outcome)
        return outcome

    def tell(self, exchange: Exchange, said: ReplyParts) -> None:
        """Says the text at once, to whoever wanted it in pieces and got none."""
        if self.listener is None:
            return
        if exchange.is_streamed and said.finish not in ("filter", "refusal"):
            self.abilities = replace(self.abilities, streams=self.listener.streamed)
        self.listener.end_call(said.text)

    def read(
        self, received: RawReply | ExchangeFailure, exchange: Exchange, expected: ExpectedCost
    ) -> tuple[ReplyParts | UnusableReply | ExchangeFailure, Usage]:
        """Parses what came; gives it with what it cost."""
        if isinstance(received, ExchangeFailure):
            return received, expected.most_usage if received.billed else Usage(calls=int(received.status > 0))
        reply = read_reply(received.content, streamed=exchange.is_streamed, path=exchange.path)
        if isinstance(reply, UnusableReply):
            # Part of a text is no answer, and the whole of it may be charged.
            if reply.cut:
                why = reply.why or "the stream ended before the reply did"
                return ExchangeFailure(kind="broken", text=why), expected.most_usage
            if reply.failed:
                return ExchangeFailure(kind="server", text=reply.why), Usage(calls=1)
            counted = reply.counted
            cost = expected.most_usage if counted is None else expected.usage_of(counted)
            return reply, Usage() if received.replayed else cost
        scanner = self.services.scanner.for_code if self.gives_code else self.services.scanner
        reply = replace(reply, text=scanner.redact_text(reply.text))  # parts of a text can share a secret
        if reply.completion:
            self.abilities = self.abilities.with_reply(reply.completion)
        if reply.prompt:
            self.abilities = self.abilities.with_share(most_prompt_tokens(exchange.body), reply.prompt)
        return reply, Usage() if received.replayed else expected.usage_of(reply)

    def hears(self, exchange: Exchange) -> Callable[[bytes], None] | None:
        """What hears the bytes of the next call; None where nobody listens or nothing streams."""
        if self.listener is None:
            return None
        anew = self.begun is None or self.calls_for_rest > 0
        self.calls_for_rest += exchange.is_streamed
        before = "" if self.begun is None else self.begun.text
        return self.listener.begin_call(exchange.path, before if anew else None, streamed=exchange.is_streamed)

    def told_again(self, number: int, most: int, why: str) -> None:
        """Tells whoever listens that the same is asked once more."""
        self.attempt = f", attempt {number} of {most}"
        if self.listener is not None:
            self.listener.asks_again(number, most, why)

    def work_around(self, exchange: Exchange, failure: ExchangeFailure) -> bool:
        """Changes the next call so that it may work where this one failed; False where nothing can be changed."""
        if failure.kind == "context":
            return self.shorten(failure)
        self.adaptations += 1
        if self.adaptations > _ADAPTATIONS:
            return False
        if failure.kind in ("request", "missing"):
            other = requests.adapt_to_refusal(self.abilities, exchange, failure)
            if other is not None:
                self.abilities = other
                return True
        # Goes on to the next way of asking for structure, where this one may be what the endpoint refuses.
        untried = self.rung not in self.abilities.rungs
        # Some servers fail on a form that they do not know, instead of refusing it.
        refused = failure.kind == "request" or (failure.status in (500, 501) and untried)
        if not refused or self.rung not in RUNGS[:-1]:
            return False
        if not _SCHEMA_REFUSED.search(failure.text):
            self.abilities = self.abilities.with_rung(self.rung, False)  # else another schema may do
        self.rung = RUNGS[RUNGS.index(self.rung) + 1]
        return True

    def shorten(self, failure: ExchangeFailure) -> bool:
        """Asks for less, or leaves out parts of the prompt; False where neither can be."""
        if self.was_too_long:
            return False  # one try; a second would only lose more
        self.was_too_long, figures = True, parse_overflow(failure.text)
        if figures.allowed:
            self.abilities = replace(self.abilities, window=figures.allowed)
            self.services.abilities.save(self.endpoint, self.abilities, self.known)
        least = figures.reply(self.request.max_tokens)
        if least is not None:
            self.request = replace(self.request, max_tokens=least)  # nothing of the prompt is lost
            return True
        shorter = trim(self.request.messages, figures.fitting_share(self.request.max_tokens))
        if shorter is None:
            return False
        messages, self.dropped = shorter
        self.request = replace(self.request, messages=tuple(messages))
        return True

    def pause(self, seconds: float, failure: ExchangeFailure) -> None:
        left = self.services.meter.remaining.seconds
        # Waiting would use up the rest of the budget for nothing.
        if left is not None and seconds >= left:
            name = self.endpoint.name
            raise BudgetExhausted(f"the time budget ends before {name} may be asked again: {failure.text}")
        if self.cancellation is not None:
            self.cancellation.wait(seconds)
        else:
            self.services.sleep(seconds)

    def check(self) -> None:
        """Raises :class:`Cancelled` once the person asked to stop."""
        if self.cancellation is not None:
            self.cancellation.check()
