"""The configuration of a driver: the parts of an agent and its limits."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from webagent.agent.actions.base import Action
from webagent.agent.broker import Broker, Cost, Outage
from webagent.agent.clock import Clock
from webagent.agent.cost import TokenCost
from webagent.agent.events import Listener
from webagent.agent.permissions import Judge
from webagent.agent.person import Person
from webagent.agent.planner import Decider, Planner, Programs
from webagent.agent.prompting import Builder
from webagent.agent.run import Budget, Run, RunResult
from webagent.agent.step import StepHandler
from webagent.agent.storage import Store
from webagent.agent.toolset import TOOL_TOKENS
from webagent.llm.chat import ChatModel, Offer
from webagent.page.port import Isolation
from webagent.registry.secrets import TextRedactor
from webagent.speech import Speech

OnPlanCompleted = Callable[[Run, RunResult], Awaitable[None] | None]
"""Is called at the end of every run, whatever its outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """The parts and limits of an agent. Every part can be replaced; None means the default."""

    model: ChatModel | None = None
    """Decides, and plans if a goal needs it. Without one, the goal's own words decide
    (`DeterministicPlanner`)."""
    fallback: ChatModel | None = None
    """Replies for the rest of a run in which `model` fails: it gives no reply after all tries, or its
    key or quota is refused. Conversations fit into the smaller window of both."""
    goes_on: bool = False
    """Whether a run in which `model` and `fallback` fail goes on without one, by the goal's own words. One
    that has changed something ends instead, so that nothing is done twice."""
    outage: Outage | None = None
    """Remembers their failure over several runs; None to ask them again in each."""
    offer: Offer = "both"
    """How the model uses the page's tools: `native` with their schemas, in programs (`code`), or
    `both`."""
    tool_tokens: int = TOOL_TOKENS
    """Tokens that their definitions may take; more tools are listed, and searched for."""
    planner: Planner | None = None
    """Makes a plan before the first step."""
    decider: Decider | None = None
    """Decides what comes next instead of the model."""
    person: Person | None = None
    """Answers requests. Without one, whatever needs a yes is refused."""
    speech: Speech | None = None
    """The language of requests, and of the planner's replies to a goal that does not say its own:
    `speech("de")`. Without one, it is English."""
    policy: Judge | None = None
    """Decides which actions run, which the person is asked for, and which are refused."""
    allowed: Collection[str] | None = None
    """Keys of what the person has allowed for the session already; None for nothing, or for what a
    run that is resumed was allowed."""
    budget: Budget | None = None
    """The most that a run may use up."""
    store: Store | None = None
    """Keeps a run while the browser goes to another page."""
    recent: Store | None = None
    """Keeps what the last runs were about, so that a goal may refer to them; None for as long as there
    is this driver."""
    programs: Programs | None = None
    """Keeps the runs that reached their goals as programs, which run again without a model for the same
    goal, or for the same with other values; None keeps none."""
    actions: Sequence[Action] | None = None
    """The agent's actions, instead of `default_actions()`."""
    handlers: Sequence[StepHandler] | None = None
    """What to do with replies."""
    builder: Builder | None = None
    """Writes the messages to the model."""
    broker: Broker | None = None
    """Sends them."""
    redactor: TextRedactor | None = None
    """Hides what no model and no log needs to know."""
    cost: Callable[[str], Cost] = TokenCost
    """Returns the prices of a model by its name."""
    fallback_cost: Callable[[str], Cost] | None = None
    """Returns those of `fallback`; None for the same table as `cost`."""
    clock: Clock | None = None
    isolation: Isolation = "sandbox"
    """Where programs run."""
    accept: Literal["ask", "caller"] = "ask"
    """`caller` if the caller accepts plans. The person is asked for actions all the same."""
    on_event: Listener | None = None
    """Receives every event."""
    on_plan_completed: OnPlanCompleted | None = None
    """Is called at the end of every run."""


def unknown_option(options: Collection[str]) -> TypeError:
    """Return the error of options of which one is not a field; it names the nearest."""
    known = [field.name for field in fields(AgentConfig)]
    name = next(name for name in options if name not in known)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known)}"
    return TypeError(f"`{name}` is not an option of a driver - {hint}")
