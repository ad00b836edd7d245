"""What each intent does in a page: small programs over one port, without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from webagent.errors import InvalidArguments
from webagent_dev.agents.goal_api.actor import Actor, go, in_words
from webagent_dev.agents.goal_api.intents import Intent
from webagent_dev.agents.goal_api.page_programs import log_in
from webagent_dev.protocols.browsy.answer import Answer, patiently
from webagent_dev.protocols.browsy.filling import fill
from webagent_dev.protocols.browsy.seen import arrive, content_of
from webagent_dev.protocols.browsy.steps import Step, Tell, Unable

_MOST_LINKS = 500
_TABLE = ("caption", "headers", "rows", "total_rows")
_RESULT = ("title", "url", "text")


async def perform(intent: Intent, actor: Actor, tell: Tell) -> dict[str, Any]:
    """Do what a task wants; return its result.

    Args:
        intent: What it wants; its `url` is in full, or empty for the page as it is.
        actor: Acts on the page, which is the one at that address already if it is a foreign one.
        tell: Hears of each step.

    Raises:
        Unable: It cannot be done.
        ToolError: The page is gone, or does not answer.
    """
    seen = await arrive(actor, tell)
    match intent.name:
        case "search":
            return await _search(intent.query, actor, tell)
        case "login":
            assert intent.credentials
            return await log_in(actor, intent.credentials, tell)
        case "extract_tables":
            tables = [_only(_TABLE, table) for table in await _listed(actor, "table_details")]
            await tell(Step("extract", f"Extracted {_count(len(tables), 'table')}"))
            more = await _read(intent.extract, actor, tell)
            return {**seen.to_dict(), "tables": tables, **more}
        case "extract":
            return {**seen.to_dict(), **await _read(intent.extract, actor, tell)}
        case "fill_form":
            return await fill(actor, intent.goal, tell)
        case "browse":
            return {**seen.to_dict(), "content": await content_of(actor)}


async def _search(query: str, actor: Actor, tell: Tell) -> dict[str, Any]:
    await tell(Step("search", f"Searching for {query}", query))
    try:
        await _enter(query, actor)
    except InvalidArguments as error:
        first = urljoin((await actor.snapshot()).url, "/")
        await tell(Step("search", f"No search on this page, navigating to {first}", first))
        await go(actor, first)
        try:
            await _enter(query, actor)
        except InvalidArguments:
            raise Unable(f"Element not found: {in_words(error)}") from None
    seen = await arrive(actor, tell, "search")
    results = [_only(_RESULT, item) for item in await _listed(actor, "results")]
    await tell(Step("search", f"Found {_count(len(results), 'result')}", query, "SearchResults"))
    return {**seen.to_dict(), "page_type": "SearchResults", "results": results}


async def _enter(query: str, actor: Actor) -> None:
    action = {"type": "search", "query": query}
    reply = await actor.act(action)
    if isinstance(reply, Mapping) and str(reply.get("did", "")).endswith("search there"):
        # A link led to the page for searching.
        reply = await actor.act(action)
    await patiently(actor, Answer.read(reply))


async def _read(wanted: tuple[str, ...], actor: Actor, tell: Tell) -> dict[str, Any]:
    """Return the links of a page, its words, or both; what is called by another name is its words."""
    kinds = {kind.strip().lower().rstrip("s") for kind in wanted}
    result: dict[str, Any] = {}
    if kinds - {"link"}:
        result["content"] = await content_of(actor)
        await tell(
            Step("extract", f"Extracted {_count(len(result['content']), 'character')} of text")
        )
    if "link" in kinds:
        snapshot = await actor.snapshot()
        links = [
            {"text": element.name, "url": urljoin(snapshot.url, element.href)}
            for element in snapshot.elements
            if element.href
        ]
        result["links"] = links[:_MOST_LINKS]
        await tell(Step("extract", f"Extracted {_count(len(result['links']), 'link')}"))
    return result


async def _listed(actor: Actor, kind: str) -> list[Mapping[str, Any]]:
    """Return what the page tells a list of; what is no such thing in it is left out."""
    found = await actor.act({"type": kind})
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _only(keys: tuple[str, ...], told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: told[key] for key in keys if key in told}


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
