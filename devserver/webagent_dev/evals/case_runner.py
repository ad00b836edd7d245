"""Runs cases one after the other, and records the outcome of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from webagent.agent import Budget, Clock, Driver, RunResult, SystemClock, default_actions
from webagent.agent.broker import Cost
from webagent.agent.cost import TokenCost
from webagent.llm import ChatModel
from webagent.llm.chat import Message, Offer, Reply, ToolDefinition
from webagent.llm.errors import ModelError
from webagent_dev.evals.case import Case
from webagent_dev.evals.comparison import TooManyOrders, compare
from webagent_dev.evals.environments import Environment, Setup
from webagent_dev.evals.outcome import Evaluation, Outcome, Verdict
from webagent_dev.evals.recording import EvalPerson, actions_of
from webagent_site.errors import UsageError

_HOPELESS = frozenset(("credentials_refused", "quota_exhausted", "bad_request"))
"""Failures of a model that the next case meets too."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How cases are run."""

    model: ChatModel | None = None
    """Without one the agent plans by itself."""
    fallback: ChatModel | None = None
    """Replies for the rest of a run in which the model fails."""
    steps: int = 50
    """That a run may take."""
    usd: Decimal | None = None
    """That all runs together may spend."""
    spent: Decimal = Decimal(0)
    """Of that, what the runs of other models have spent."""
    timeout_s: float = 300.0
    """That a run may take."""
    cost: Callable[[str], Cost] = TokenCost
    """Returns the prices of the model by its name."""
    fallback_cost: Callable[[str], Cost] = TokenCost
    """Returns those of the fallback."""
    offer: Offer = "both"
    """How the model uses the tools of a page."""
    clock: Clock | None = None
    """The clock of the agent; that of this machine if left out."""


async def run_cases(
    cases: Sequence[Case],
    environment: Environment,
    evaluation: Evaluation,
    settings: Settings,
    *,
    runs: int = 1,
    on_begin: Callable[[Case], None] = lambda case: None,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
) -> None:
    """Run all cases, each as often as asked for; what is known so far is in the evaluation.

    Args:
        cases: What to run.
        environment: Where.
        evaluation: Gathers the outcomes.
        settings: How.
        runs: How often each case is run.
        on_begin: Called before each run.
        on_outcome: Called with each outcome.

    Raises:
        UsageError: The environment cannot be opened at all.
    """
    last = _LastReply()
    settings = replace(
        settings,
        model=_observed(settings.model, last),
        fallback=_observed(settings.fallback, last),
    )
    for case in cases:
        for number in range(1, runs + 1):
            spent = settings.spent + (evaluation.usd or 0)
            left = None if settings.usd is None else settings.usd - spent
            if left is not None and left <= 0:
                evaluation.stopped = f"the {settings.usd} USD that it may spend are spent"
                return
            on_begin(case)
            try:
                outcome = await _run(case, number, environment, last, settings, left)
            except UsageError as misuse:
                if not evaluation.outcomes:
                    raise
                # It could be opened before: what is known so far is not thrown away.
                outcome = Outcome(case, number, "error", problem=str(misuse))
            evaluation.outcomes.append(outcome)
            on_outcome(outcome)
            if last.failed in _HOPELESS:
                evaluation.stopped = "the model refuses, and would refuse the next case too"
                return


async def _run(
    case: Case,
    number: int,
    environment: Environment,
    last: _LastReply,
    settings: Settings,
    usd: Decimal | None,
) -> Outcome:
    clock = settings.clock or SystemClock()
    started = clock.seconds()
    budget = Budget(steps=settings.steps, usd=usd)
    try:
        with cancellation_first():
            async with asyncio.timeout(settings.timeout_s), environment.opened(case) as given:
                person = EvalPerson(given.registry, given.allowed)
                result = await _driven(case, given, environment, person, budget, clock, settings)
                rows = compare(case.expected, given.registry.recorded_calls)
    except UsageError:
        raise
    except TimeoutError:
        problem = too_long(settings.timeout_s)
        return Outcome(case, number, "error", problem=problem, seconds=clock.seconds() - started)
    except TooManyOrders:
        problem = (
            "the groups in any order have too many ways through them - they cannot be followed - "
            "make them smaller"
        )
        return Outcome(case, number, "error", problem=problem, seconds=clock.seconds() - started)
    except Exception as error:
        problem = f"the run broke - {type(error).__name__}: {error}"
        return Outcome(case, number, "error", problem=problem, seconds=clock.seconds() - started)
    agrees = all(row.verdict == "agrees" for row in rows)
    broken = last.failed is not None and not result.ok
    verdict: Verdict = "error" if broken else "passed" if agrees else "failed"
    spent = result.run.spent
    return Outcome(
        case,
        number,
        verdict,
        tuple(rows),
        result.text,
        tuple(person.asked),
        result.error.message if result.error is not None and verdict != "passed" else "",
        clock.seconds() - started,
        spent.steps,
        spent.usage,
        None if spent.usd is None else Decimal(spent.usd),
        result.run.switched,
    )


def too_long(timeout_s: float) -> str:
    """Return why a run of a case was ended."""
    return (
        f"it took longer than {timeout_s:g} s - a case has a limit, so that the next one gets its "
        "turn - `--timeout` sets another"
    )


async def _driven(
    case: Case,
    given: Setup,
    environment: Environment,
    person: EvalPerson,
    budget: Budget,
    clock: Clock,
    settings: Settings,
) -> RunResult:
    """Let the agent of `webagent-dev run` work on a case."""
    driver = Driver(
        given.page,
        given.registry,
        model=settings.model,
        fallback=settings.fallback,
        person=person,
        budget=budget,
        actions=actions_of(default_actions(), given.registry, page=environment.has_page),
        accept="caller",
        clock=clock,
        cost=settings.cost,
        fallback_cost=settings.fallback_cost,
        offer=settings.offer,
    )
    return await driver.run(case.goal if settings.model is None else case.conversation)


@dataclass(slots=True)
class _LastReply:
    """How the last request to a model ended."""

    failed: str | None = None
    """The kind of the failure, None if there was a reply."""


def _observed(model: ChatModel | None, last: _LastReply) -> ChatModel | None:
    return None if model is None else _ObservedModel(model, last)


class _ObservedModel:
    """A model; notes how each request to it ends."""

    def __init__(self, model: ChatModel, last: _LastReply) -> None:
        self._model = model
        self._last = last

    @property
    def name(self) -> str:
        """Its name in prices and logs."""
        return self._model.name

    @property
    def context_tokens(self) -> int:
        """How long a conversation may be."""
        return self._model.context_tokens

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolDefinition], **options: Any
    ) -> Reply:
        """Return what the model says next."""
        self._last.failed = None
        try:
            return await self._model.reply(messages, tools, **options)
        except ModelError as error:
            self._last.failed = error.kind
            raise


@contextmanager
def cancellation_first() -> Iterator[None]:
    """Raise the cancellation of a coroutine instead of errors that it caused.

    Raises:
        CancelledError: Something broke after the coroutine was cancelled.
    """
    try:
        yield
    except Exception:
        task = asyncio.current_task()
        if task is None or not task.cancelling():
            raise
        raise asyncio.CancelledError from None
