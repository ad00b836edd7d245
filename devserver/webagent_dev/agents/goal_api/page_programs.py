"""Logging in: finds the form, enters what was given, and looks where that leads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from webagent.errors import InvalidArguments, ToolError
from webagent_dev.agents.goal_api.actor import (
    MOST_WAITS,
    Actor,
    Answer,
    Step,
    Tell,
    Unable,
    arrive,
    content_of,
    go,
    in_words,
    look,
    patiently,
    refuse_walls,
    send,
    wait,
)
from webagent_dev.agents.goal_api.form_values import (
    Field,
    Form,
    fields_of,
    filling_of,
    wants_submit,
)
from webagent_dev.agents.goal_api.intents import Credentials, Intent

_WRITTEN = ("text", "email", "tel", "textbox", "")

_LINKS = ("Log in", "Login", "Sign in", "Account", "My account")

_NOT_ASKED = "the page asks for no password"

_USERNAME = ("username", "email", "webauthn")


async def log_in(actor: Actor, credentials: Credentials, tell: Tell) -> dict[str, Any]:
    """Log in on the page, or on the one that its link leads to; return where that led.

    Raises:
        Unable: There is no form, or the site takes it not.
    """
    form = await _form(actor) or await _form_behind_link(actor, tell)
    if form is None:
        seen = await look(actor)
        known = "somebody is logged in already" if seen.page_type == "Dashboard" else _NOT_ASKED
        raise Unable(f"No login form found - {known} - name the page that asks for a password")
    await tell(Step("login", "Login page detected, submitting credentials", page_type="Login"))
    password = _password(form)
    if password is None:
        # The password is asked for in a second step.
        await _submit(actor, [_entry(_username(form), credentials.username)])
        form = await _form(actor)
        password = _password(form) if form else None
        if form is None or password is None:
            raise Unable("Login failed: no password was asked for - look at the page")
        entries = [_entry(password, credentials.password)]
    else:
        entries = [
            _entry(_username(form), credentials.username),
            _entry(password, credentials.password),
        ]
    answer = await _submit(actor, [entry for entry in entries if entry])
    return await _landed(actor, answer, tell)


async def _landed(actor: Actor, answer: Answer, tell: Tell) -> dict[str, Any]:
    seen = await look(actor)
    for _ in range(MOST_WAITS):
        if seen.page_type != "Login" or answer.alerts or not await _form(actor):
            break
        # Its server may not have answered yet.
        answer = await wait(actor) or answer
        seen = await look(actor)
    refuse_walls(seen)
    if seen.page_type == "Login" and await _form(actor):
        said = "; ".join(answer.alerts or answer.appeared) or "the page asks for the password again"
        raise Unable(f"Login failed: {said}")
    if seen.page_type == "TwoFactorAuth":
        told = f"Credentials taken, a second factor is asked for: {seen.title}"
    else:
        told = f"Login successful, redirected to {seen.title}"
    await tell(Step("login", told, seen.snapshot.url, seen.page_type))
    return seen.to_dict()


async def _form(actor: Actor) -> Form | None:
    """Return the form that asks for a password, or for a name as the first of two steps."""
    found = await actor.act({"type": "form_details"})
    forms = [form for form in found if isinstance(form, Mapping)] if isinstance(found, list) else []
    asking = [form for form in forms if len(_passwords(form)) == 1]
    first = [
        form
        for form in forms
        if not _passwords(form)
        and any(str(f.get("autocomplete", "")).startswith("username") for f in fields_of(form))
    ]
    return next(iter(asking or first), None)


async def _form_behind_link(actor: Actor, tell: Tell) -> Form | None:
    for text in _LINKS:
        try:
            await actor.act({"type": "click_link", "text": text})
        except ToolError:
            continue
        await arrive(actor, tell, "login")
        return await _form(actor)
    return None


def _passwords(form: Form) -> list[Field]:
    return [field for field in fields_of(form) if field.get("type") == "password"]


def _password(form: Form) -> Field | None:
    return next(iter(_passwords(form)), None)


def _username(form: Form) -> Field | None:
    """Return the field for the name: the one that says so, else the last before the password."""
    fields = fields_of(form)
    for field in fields:
        if any(word in str(field.get("autocomplete", "")) for word in _USERNAME):
            return field
    written = []
    for field in fields:
        if field.get("type") == "password":
            break
        if field.get("type", "") in _WRITTEN:
            written.append(field)
    return written[-1] if written else None


def _entry(field: Field | None, text: str) -> dict[str, Any]:
    return {"pp_id": field["pp_id"], "text": text, "secret": True} if field else {}


async def _submit(actor: Actor, entries: list[dict[str, Any]]) -> Answer:
    """Enter and submit; return what the page says to it."""
    try:
        return await send(actor, {"type": "enter_data", "form_data": entries, "submit": True})
    except ToolError as error:
        raise Unable(f"Login failed: {in_words(error)}") from None


_MOST_SHOWN = 12

_ELEMENT = re.compile(r"\[\d+\] ")


async def fill(actor: Actor, goal: str, tell: Tell) -> dict[str, Any]:
    """Fill the form in that the goal means; return the page after that, and what was filled in.

    Raises:
        Unable: There is no form, no such field, or nothing to fill in.
    """
    found = await actor.act({"type": "form_details"})
    forms = [form for form in found if isinstance(form, Mapping)] if isinstance(found, list) else []
    filling = filling_of(goal, forms)
    if filling is None:
        raise Unable("No form found - the page has no fields to fill in - name the page that has")
    shown = [_name(field) for field in fields_of(filling.form)][:_MOST_SHOWN]
    there = f"the form has {', '.join(f'`{name}`' for name in shown)}"
    if filling.unknown:
        raise Unable(f"Element not found: `{filling.unknown[0]}` is no field - {there}")
    if not filling.entries:
        raise Unable(f"Element not found: the goal names no field of the form - {there}")
    submit = wants_submit(goal)
    names = {field["pp_id"]: _name(field) for field in fields_of(filling.form)}
    filled = [names[entry["pp_id"]] for entry in filling.entries]
    await tell(Step("fill", f"Filling in {', '.join(filled)}", ", ".join(filled)))
    entries = list(filling.entries)
    action = {"type": "enter_data", "form_data": entries, "submit": submit}
    try:
        answer = await send(actor, action) if submit else Answer.read(await actor.act(action))
    except ToolError as error:
        raise Unable(f"The form could not be filled in: {in_words(error)}") from None
    seen = await look(actor)
    refuse_walls(seen)
    if submit:
        await tell(Step("fill", f"Form submitted: {seen.title}", seen.snapshot.url, seen.page_type))
    lines = (*answer.alerts, *(answer.appeared if submit else ()))
    messages = [line.lstrip("# ") for line in lines if not _ELEMENT.match(line)]
    return {**seen.to_dict(), "filled": filled, "submitted": submit, "messages": messages}


def _name(field: Mapping[str, Any]) -> str:
    return str(field.get("label") or field.get("name") or field.get("type") or "field")


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
