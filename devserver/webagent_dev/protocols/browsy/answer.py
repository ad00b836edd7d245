"""What a page says to what was sent: at once, or once its server has answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webagent_dev.agents.goal_api.actor import Actor

MOST_WAITS = 6
_WAIT = {"type": "wait", "seconds": 0.5}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is different on a page."""

    went_on: bool = False
    """Whether another page has come."""
    alerts: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()

    @classmethod
    def read(cls, reply: Any) -> Answer:
        """Read the reply to an act."""
        given = reply if isinstance(reply, Mapping) else {}
        changed = given.get("changed")
        said = changed if isinstance(changed, Mapping) else {}
        return cls(given.get("navigates") is True, _texts(said, "alerts"), _texts(said, "appeared"))

    def __bool__(self) -> bool:
        return self.went_on or bool(self.alerts or self.appeared)


async def send(actor: Actor, action: Mapping[str, Any]) -> Answer:
    """Do something that sends; if nothing comes of it at once, wait a while.

    Raises:
        ToolError: The page could not do it.
    """
    return await patiently(actor, Answer.read(await actor.act(action)))


async def patiently(actor: Actor, answer: Answer) -> Answer:
    """Return an answer, or the one that comes a while later when it is empty."""
    for _ in range(MOST_WAITS):
        if answer:
            break
        answer = await wait(actor)
    return answer


async def wait(actor: Actor) -> Answer:
    """Return what is different after a moment."""
    return Answer.read(await actor.act(_WAIT))


def _texts(said: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = said.get(name)
    return tuple(map(str, texts)) if isinstance(texts, list) else ()
