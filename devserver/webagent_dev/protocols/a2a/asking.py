"""Questions of the agent in the page, and what a client answers."""

from __future__ import annotations

from typing import Any

from webagent_dev.agents.a2a.requests import Sent
from webagent_dev.agents.page_output import plain
from webagent_dev.protocols.a2a.shapes import Shape

_YES = frozenset(
    (
        *("yes", "y", "ok", "okay", "yes please", "sure", "go ahead", "go on", "do it"),
        *("approve", "approved", "accept", "accepted", "confirm", "confirmed", "true"),
    )
)
_DETAILS = ("steps", "action", "tool", "arguments", "effect", "session", "filename")


def question(request: dict[str, Any]) -> list[Shape]:
    """Return a request of the agent as parts: in words, and as data.

    Args:
        request: `{kind, text, details}`; the kind is `plan`, `approval`, `question` or `file`.
    """
    details = request.get("details")
    shown = plain(details) if isinstance(details, dict) else {}
    kind = str(request.get("kind", ""))
    data = {
        "kind": kind,
        "details": {name: shown[name] for name in _DETAILS if shown.get(name)},
        "answer": {
            "question": "words",
            "file": "a part with `raw` and `filename`",
        }.get(kind, 'yes or no, or a data part {"yes": true, "session": true}'),
    }
    return [{"text": str(request.get("text", ""))}, {"data": data}]


def answer(sent: Sent, kind: str) -> dict[str, Any]:
    """Return what a client says as the page takes it: `{yes, text, session, files}`.

    Args:
        sent: The client's message.
        kind: Of the request.
    """
    text = " ".join(part["text"] for part in sent.parts if "text" in part).strip()
    files = [
        {
            "name": part.get("filename", "file"),
            "type": part.get("mediaType", ""),
            "data": part["raw"],
        }
        for part in sent.parts
        if "raw" in part
    ]
    data: dict[str, Any] = {}
    for part in sent.parts:
        if isinstance(part.get("data"), dict):
            data.update(part["data"])
    said = data["text"] if isinstance(data.get("text"), str) else text
    if isinstance(data.get("yes"), bool):
        yes = data["yes"]
    elif kind == "question":
        yes = bool(said)
    elif kind == "file":
        yes = bool(files)
    else:
        yes = text.lower().strip(" .!") in _YES
    return {"yes": yes, "text": said, "session": data.get("session") is True, "files": files}


def agreed(sent: Sent) -> bool:
    """Whether a client says yes to one thing."""
    return answer(sent, "approval")["yes"] is True
