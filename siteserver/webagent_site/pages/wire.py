"""The messages between every server and an open page, in both directions.

The page has the same messages in TypeScript; the examples in `tests/cases/messages.json` hold for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webagent.json_text import read_json
from webagent_site.pages.connection import WIRE_VERSION
from webagent_site.text import whole

DEEPEST = 256
"""Limit of nesting in it; values of a page have up to 200 levels."""
LONGEST_TIMEOUT_S = 24 * 3_600.0
"""Limit of a tool's own timeout. Browsers end a timer of more than 24 days at once."""

CallKind = Literal["tool", "code", "goal", "prompt", "snapshot", "act"]
Asked = Literal["caller", "page"]
"""The side that approves a call and answers its questions: its caller, or the person at the page."""


@dataclass(frozen=True, slots=True)
class Call:
    """Asks the page to do something, and to answer with a `result` of the same id."""

    type: ClassVar[str] = "call"
    id: str
    kind: CallKind
    """Call a tool, run a program, reach a goal, show the prompt or the page, or act on the page as a
    person would."""
    name: str
    """Name of the tool; empty for any other kind."""
    arguments: dict[str, Any]
    """Of the tool, by name; for other kinds `{code}`, `{goal, approve?, model?, budget?, schema?}`,
    `{goal}`, `{action}` or `{}`. A run that goes on is `{run_id, question?, answer?}`: the answer to a
    question that waits in the page."""
    deadline_ms: int
    """How long the page has."""
    caller: str
    """Name of the caller, for people: `inspector`, `terminal`, or that of an MCP client."""
    asks: Asked = "caller"
    visitor: str = ""
    """Mark of the visitor that the call is for; empty in development. The page asks the server who its
    visitor is now, and refuses the call if that is another one."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """The result of a call is no longer needed."""

    type: ClassVar[str] = "cancel"
    id: str


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """The answer of a person outside of the page to a `question` of the agent."""

    type: ClassVar[str] = "answer"
    id: str
    """Of the call in which the agent works."""
    question: str
    """Which question, by its id."""
    answer: dict[str, Any]
    """`{yes, text, session, files}`: `webagent.agent.person.Answer` as data."""


def unanswered(*, yes: bool = False) -> dict[str, Any]:
    """Return the answer to a question for which nobody can be asked."""
    return {"yes": yes, "text": "nobody can be asked here", "session": False, "files": []}


@dataclass(frozen=True, slots=True)
class Joined:
    """The page is known now; only a site's own server sends this."""

    type: ClassVar[str] = "joined"
    page_id: str
    """Of the tab."""


@dataclass(frozen=True, slots=True)
class PageToken:
    """The first message of a page to a site's own server."""

    type: ClassVar[str] = "token"
    token: str
    """Of the page, as the gateway gives it."""
    secret: str
    """Of the tab, the same over its navigations."""


@dataclass(frozen=True, slots=True)
class PageHello:
    """A page introduces itself, and again when its address, title or focus changes."""

    type: ClassVar[str] = "hello"
    page_id: str
    document_id: str
    url: str
    title: str
    focused: bool
    version: str


@dataclass(frozen=True, slots=True)
class PageError:
    """The runtime in the page failed."""

    type: ClassVar[str] = "error"
    phase: str
    message: str


@dataclass(frozen=True, slots=True)
class PageDrift:
    """Where a page differs from its manifest; no findings mean that it does not."""

    type: ClassVar[str] = "drift"
    path: str
    """Path of the page: `/shop/cart`."""
    findings: list[dict[str, Any]]


class ListedTool(BaseModel):
    """The fields of a page's tool that servers read; it may have more, and lack all but the name."""

    model_config = ConfigDict(strict=True)

    name: str = Field(min_length=1)
    title: str = ""
    description: str = ""
    component: str = ""
    source: str = ""
    origin: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] = {}
    effect: str = "unknown"
    untrusted: bool = False
    idempotent: bool = False
    login: bool = False
    available: bool = True
    paths: list[str] = []
    timeout_s: float = Field(default=1.0, gt=0, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class PageRegistry:
    """The tools that a page offers now."""

    type: ClassVar[str] = "registry"
    state: str
    """`idle`, `starting`, `ready` or `failed`: whether the agent of the page has started."""
    tools: list[dict[str, Any]]
    """Empty until then; each has the form of a `ListedTool`."""


@dataclass(frozen=True, slots=True)
class PageResult:
    """How a call ended: `webagent.registry.ExecutionResult` as data."""

    type: ClassVar[str] = "result"
    id: str
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageProgress:
    """The progress of a running call."""

    type: ClassVar[str] = "progress"
    id: str
    message: str


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """The agent needs an answer, or approval, to continue a call."""

    type: ClassVar[str] = "question"
    id: str
    """Of the call."""
    question: str
    """Its own id, for the answer."""
    request: dict[str, Any]
    """`webagent.agent.person.Request` as data: `{kind, text, details}`."""


@dataclass(frozen=True, slots=True)
class PageLog:
    """A console line of the code of a page, or an error that it did not catch."""

    type: ClassVar[str] = "log"
    level: str
    """`debug`, `log`, `info`, `warn`, `error`; `uncaught` and `unhandled` for what was not caught."""
    text: str
    place: str
    """`file:line:column` if that is known, else empty."""
    count: int
    """How often in a row."""


@dataclass(frozen=True, slots=True)
class PageEvent:
    """An event of `window.webagent`."""

    type: ClassVar[str] = "event"
    name: str
    """`call` or `agent`."""
    detail: dict[str, Any]


PageMessage = (
    PageToken
    | PageHello
    | PageError
    | PageDrift
    | PageRegistry
    | PageResult
    | PageProgress
    | PageQuestion
    | PageLog
    | PageEvent
)

_PAGE_MESSAGES: dict[str, tuple[type[PageMessage], dict[str, type]]] = {
    "token": (PageToken, {"token": str, "secret": str}),
    "hello": (
        PageHello,
        {
            "page_id": str,
            "document_id": str,
            "url": str,
            "title": str,
            "focused": bool,
            "version": str,
        },
    ),
    "error": (PageError, {"phase": str, "message": str}),
    "drift": (PageDrift, {"path": str, "findings": list}),
    "registry": (PageRegistry, {"state": str, "tools": list}),
    "result": (PageResult, {"id": str, "result": dict}),
    "progress": (PageProgress, {"id": str, "message": str}),
    "question": (PageQuestion, {"id": str, "question": str, "request": dict}),
    "log": (PageLog, {"level": str, "text": str, "place": str, "count": int}),
    "event": (PageEvent, {"name": str, "detail": dict}),
}
"""The messages of pages: the class of each type, and its fields."""


SiteMessage = Joined | Call | Cancel | PersonAnswer
"""The messages of a site's own server to pages."""

_CALL_MESSAGES: dict[str, tuple[type[Call | Cancel | PersonAnswer], dict[str, type]]] = {
    "call": (
        Call,
        {
            "id": str,
            "kind": str,
            "name": str,
            "arguments": dict,
            "deadline_ms": int,
            "caller": str,
            "asks": str,
            "visitor": str,
        },
    ),
    "cancel": (Cancel, {"id": str}),
    "answer": (PersonAnswer, {"id": str, "question": str, "answer": dict}),
}
"""The messages to pages about calls, likewise."""


def parse_page_message(text: str) -> PageMessage | None:
    """Read a message of a page; None if it is unknown or malformed.

    Unknown fields are ignored, because a newer page may send some. Malformed tools are left out.
    """
    message = _parsed(text, _PAGE_MESSAGES)
    if isinstance(message, PageRegistry):
        return replace(message, tools=_listed_tools(message.tools))
    return message


def _listed_tools(tools: list[Any]) -> list[dict[str, Any]]:
    """Return the tools that have the right form, without halves of characters."""
    found = []
    for tool in whole(tools):
        try:
            checked = ListedTool.model_validate(tool)
        except ValidationError:
            continue
        longest = {"timeout_s": min(checked.timeout_s, LONGEST_TIMEOUT_S)}
        found.append(tool | longest if "timeout_s" in tool else tool)
    return found


def parse_call_message(text: str) -> Call | Cancel | PersonAnswer | None:
    """Read a message to a page about a call, from another process; None if it is not one."""
    message = _parsed(text, _CALL_MESSAGES)
    if isinstance(message, Call) and (
        message.kind not in get_args(CallKind) or message.asks not in get_args(Asked)
    ):
        return None
    return message


_T = TypeVar("_T")


def _parsed(text: str, known: Mapping[str, tuple[type[_T], dict[str, type]]]) -> _T | None:
    try:
        data = read_json(text, deepest=DEEPEST)
    except ValueError:
        return None
    if not isinstance(data, dict) or data.get("v") is True or data.get("v") != WIRE_VERSION:
        return None
    name = data.get("type")
    if not isinstance(name, str) or name not in known:
        return None
    kind, fields = known[name]
    if any(type(data.get(field)) is not expected for field, expected in fields.items()):
        return None
    return kind(**{field: data[field] for field in fields})
