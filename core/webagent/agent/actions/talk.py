"""Talking to the person, and coming to an end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.bounds import plain
from webagent.agent.person import Request
from webagent.agent.result import Finish
from webagent.errors import Denied
from webagent.registry.secrets import is_secret

_WORD = re.compile(r"[\w-]+")


class Communicate:
    """Tells the person something, or asks."""

    definition = define(
        "communicate",
        "Tell the person what you found or do; with a question, wait for the answer.",
        "summary",
        summary={"type": "string", "description": "What to tell."},
        question={"type": "string", "description": "What to ask."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Say that there is nothing to judge."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{answer}` to a question, and nothing if there is none."""
        summary, question = plain(arguments["summary"]), plain(arguments.get("question", ""))
        if summary:
            context.work.events.tell("text", text=summary, final=True)
        if not question:
            return None
        secret = any(is_secret(word) for word in _WORD.findall(question[:1000]))
        details = {"summary": summary} | ({"secret": True} if secret else {})
        answer = await context.ask(Request("question", question, details))
        if not answer.yes:
            said = answer.text or "the question was put aside"
            raise Denied(
                f"there is no answer to `{question}` - {said}",
                help="go on without it, or finish and say what is missing",
            )
        if secret:
            # A model reads the mask, and writes it where the secret is to go.
            context.work.secret = answer.text
            context.registry.secrets.learn_arguments({"password": answer.text})
        return {"answer": answer.text}


class Finishing:
    """Ends the run."""

    definition = define(
        "finish",
        "End: tell the person what was done or found, and whether the goal was reached.",
        "text success",
        text={"type": "string", "description": "The answer, for the person."},
        success={"type": "boolean", "description": "Whether the goal was reached."},
        data={"description": "What was found, as data, for a program."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Say that there is nothing to judge."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """End the run with these words."""
        return Finish(plain(arguments["text"]), arguments["success"], arguments.get("data"))
