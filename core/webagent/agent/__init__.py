"""The agent: what it plans, decides and does on a page, step by step."""

from webagent.agent.actions.base import Action, Context, PageAction, PartlyDone
from webagent.agent.actions.table import default_actions
from webagent.agent.broker import Broker, Cost, MessageBroker, ModelDecider
from webagent.agent.clock import Clock, FakeClock, SystemClock
from webagent.agent.config import AgentConfig
from webagent.agent.driver import Driver
from webagent.agent.events import EVENTS, Listener
from webagent.agent.permissions import Decision, Intent, Judge, Policy, Ruling
from webagent.agent.person import Answer, GivenFile, Nobody, Person, Request, ScriptedPerson
from webagent.agent.planner import Decider, Planner
from webagent.agent.prompting import Builder, MessageBuilder
from webagent.agent.run import Budget, Done, Finish, Plan, PlanStep, Run, RunResult, Said, Scene
from webagent.agent.step import ContentHandler, FunctionHandler, StepHandler, StepResult, StepRunner
from webagent.agent.storage import MemoryStore, Store, StoreFull
from webagent.agent.transcript import Transcript
from webagent.agent.work import Work

__all__ = [
    "EVENTS",
    "Action",
    "AgentConfig",
    "Answer",
    "Broker",
    "Budget",
    "Builder",
    "Clock",
    "ContentHandler",
    "Context",
    "Cost",
    "Decider",
    "Decision",
    "Done",
    "Driver",
    "FakeClock",
    "Finish",
    "FunctionHandler",
    "GivenFile",
    "Intent",
    "Judge",
    "Listener",
    "MemoryStore",
    "MessageBroker",
    "MessageBuilder",
    "ModelDecider",
    "Nobody",
    "PageAction",
    "PartlyDone",
    "Person",
    "Plan",
    "PlanStep",
    "Planner",
    "Policy",
    "Request",
    "Ruling",
    "Run",
    "RunResult",
    "Said",
    "Scene",
    "ScriptedPerson",
    "StepHandler",
    "StepResult",
    "StepRunner",
    "Store",
    "StoreFull",
    "SystemClock",
    "Transcript",
    "Work",
    "default_actions",
]
