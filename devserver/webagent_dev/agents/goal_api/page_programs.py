"""The programs that tasks run on a page: search, log in, extract, fill in a form, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from webagent.errors import InvalidArguments, ToolError
from webagent_dev.agents.goal_api.actor import (
    MOST_WAITS,
    Actor,
    PageChange,
    ReportStep,
    Step,
    TaskError,
    check_access,
    content_of,
    enter_page,
    error_text,
    go_to,
    submit,
    view_page,
    wait,
    wait_for_change,
)
from webagent_dev.agents.goal_api.form_values import (
    Field,
    Form,
    fields_of,
    filling_of,
    wants_submit,
)
from webagent_dev.agents.goal_api.intents import Intent
from webagent_dev.agents.goal_api.request import Credentials

_MOST_LINKS = 500
_MOST_NAMES = 12
"""Limit of field names in a message."""
_TABLE_KEYS = ("caption", "headers", "rows", "total_rows")
_RESULT_KEYS = ("title", "url", "text")
_WRITTEN_TYPES = ("text", "email", "tel", "textbox", "")
_USERNAME_HINTS = ("username", "email", "webauthn")
"""Words in `autocomplete` that name the field for the user."""
_LOGIN_LINKS = ("Log in", "Login", "Sign in", "Account", "My account")
_ELEMENT_LINE = re.compile(r"\[\d+\] ")


async def perform(intent: Intent, actor: Actor, report: ReportStep) -> dict[str, Any]:
    """Do what a task wants; return its result.

    Args:
        intent: What it wants.
        actor: Acts on the page, which is already the one at the address of the intent.
        report: Called with each step.

    Raises:
        TaskError: It cannot be done.
        ToolError: The page is gone, or does not answer.
    """
    view = await enter_page(actor, report)
    match intent.name:
        case "search":
            return await _search(intent.query, actor, report)
        case "login":
            assert intent.credentials
            return await _log_in(actor, intent.credentials, report)
        case "extract_tables":
            tables = [_only(_TABLE_KEYS, one) for one in await _objects(actor, "table_details")]
            await report(Step("extract", f"Extracted {_count(len(tables), 'table')}"))
            more = await _extract(intent.extract, actor, report)
            return {**view.to_dict(), "tables": tables, **more}
        case "extract":
            return {**view.to_dict(), **await _extract(intent.extract, actor, report)}
        case "fill_form":
            return await _fill_form(actor, intent.goal, report)
        case "browse":
            return {**view.to_dict(), "content": await content_of(actor)}


async def _search(query: str, actor: Actor, report: ReportStep) -> dict[str, Any]:
    await report(Step("search", f"Searching for {query}", query))
    try:
        await _enter_query(query, actor)
    except InvalidArguments as error:
        first = urljoin((await actor.snapshot()).url, "/")
        await report(Step("search", f"No search on this page, navigating to {first}", first))
        await go_to(actor, first)
        try:
            await _enter_query(query, actor)
        except InvalidArguments:
            raise TaskError(f"Element not found: {error_text(error)}") from None
    view = await enter_page(actor, report, "search")
    results = [_only(_RESULT_KEYS, item) for item in await _objects(actor, "results")]
    await report(Step("search", f"Found {_count(len(results), 'result')}", query, "SearchResults"))
    return {**view.to_dict(), "page_type": "SearchResults", "results": results}


async def _enter_query(query: str, actor: Actor) -> None:
    action = {"type": "search", "query": query}
    reply = await actor.act(action)
    if isinstance(reply, Mapping) and str(reply.get("did", "")).endswith("search there"):
        # A link led to the page for searching.
        reply = await actor.act(action)
    await wait_for_change(actor, PageChange.read(reply))


async def _extract(kinds: tuple[str, ...], actor: Actor, report: ReportStep) -> dict[str, Any]:
    """Return the links of a page, its text, or both; any kind but links means the text."""
    named = {kind.strip().lower().rstrip("s") for kind in kinds}
    result: dict[str, Any] = {}
    if named - {"link"}:
        result["content"] = await content_of(actor)
        count = _count(len(result["content"]), "character")
        await report(Step("extract", f"Extracted {count} of text"))
    if "link" in named:
        snapshot = await actor.snapshot()
        links = [
            {"text": element.name, "url": urljoin(snapshot.url, element.href)}
            for element in snapshot.elements
            if element.href
        ]
        result["links"] = links[:_MOST_LINKS]
        await report(Step("extract", f"Extracted {_count(len(result['links']), 'link')}"))
    return result


async def _log_in(actor: Actor, credentials: Credentials, report: ReportStep) -> dict[str, Any]:
    """Log in on the page, or on the one that its link leads to; return the page after that.

    Raises:
        TaskError: There is no form, or the site refuses the credentials.
    """
    form = await _login_form(actor) or await _login_form_behind_link(actor, report)
    if form is None:
        view = await view_page(actor)
        why = (
            "somebody is logged in already"
            if view.page_type == "Dashboard"
            else "the page asks for no password"
        )
        raise TaskError(f"No login form found - {why} - name the page that asks for a password")
    await report(Step("login", "Login page detected, submitting credentials", page_type="Login"))
    password = _password_field(form)
    if password is None:
        # The password is asked for in a second step.
        await _submit_entries(actor, [_entry(_username_field(form), credentials.username)])
        form = await _login_form(actor)
        password = _password_field(form) if form else None
        if form is None or password is None:
            raise TaskError("Login failed: no password was asked for - look at the page")
        entries = [_entry(password, credentials.password)]
    else:
        entries = [
            _entry(_username_field(form), credentials.username),
            _entry(password, credentials.password),
        ]
    change = await _submit_entries(actor, [entry for entry in entries if entry])
    return await _after_login(actor, change, report)


async def _after_login(actor: Actor, change: PageChange, report: ReportStep) -> dict[str, Any]:
    view = await view_page(actor)
    for _ in range(MOST_WAITS):
        if view.page_type != "Login" or change.alerts or not await _login_form(actor):
            break
        # The server may not have answered yet.
        change = await wait(actor) or change
        view = await view_page(actor)
    check_access(view)
    if view.page_type == "Login" and await _login_form(actor):
        why = "; ".join(change.alerts or change.appeared)
        raise TaskError(f"Login failed: {why or 'the page asks for the password again'}")
    if view.page_type == "TwoFactorAuth":
        text = f"Credentials taken, a second factor is asked for: {view.title}"
    else:
        text = f"Login successful, redirected to {view.title}"
    await report(Step("login", text, view.snapshot.url, view.page_type))
    return view.to_dict()


async def _login_form(actor: Actor) -> Form | None:
    """Return the form that asks for a password, or for a username as the first of two steps."""
    forms = await _objects(actor, "form_details")
    with_password = [form for form in forms if len(_password_fields(form)) == 1]
    first_steps = [
        form
        for form in forms
        if not _password_fields(form)
        and any(str(f.get("autocomplete", "")).startswith("username") for f in fields_of(form))
    ]
    return next(iter(with_password or first_steps), None)


async def _login_form_behind_link(actor: Actor, report: ReportStep) -> Form | None:
    for text in _LOGIN_LINKS:
        try:
            await actor.act({"type": "click_link", "text": text})
        except ToolError:
            continue
        await enter_page(actor, report, "login")
        return await _login_form(actor)
    return None


def _password_fields(form: Form) -> list[Field]:
    return [field for field in fields_of(form) if field.get("type") == "password"]


def _password_field(form: Form) -> Field | None:
    return next(iter(_password_fields(form)), None)


def _username_field(form: Form) -> Field | None:
    """Return the field that `autocomplete` names, else the last text field before the password."""
    fields = fields_of(form)
    for field in fields:
        if any(word in str(field.get("autocomplete", "")) for word in _USERNAME_HINTS):
            return field
    written = []
    for field in fields:
        if field.get("type") == "password":
            break
        if field.get("type", "") in _WRITTEN_TYPES:
            written.append(field)
    return written[-1] if written else None


def _entry(field: Field | None, text: str) -> dict[str, Any]:
    return {"pp_id": field["pp_id"], "text": text, "secret": True} if field else {}


async def _submit_entries(actor: Actor, entries: list[dict[str, Any]]) -> PageChange:
    try:
        return await submit(actor, {"type": "enter_data", "form_data": entries, "submit": True})
    except ToolError as error:
        raise TaskError(f"Login failed: {error_text(error)}") from None


async def _fill_form(actor: Actor, goal: str, report: ReportStep) -> dict[str, Any]:
    """Fill in the form that the goal means; return the page after that, and what was filled in.

    Raises:
        TaskError: There is no form, no such field, or nothing to fill in.
    """
    filling = filling_of(goal, await _objects(actor, "form_details"))
    if filling is None:
        raise TaskError(
            "No form found - the page has no fields to fill in - name the page that has"
        )
    fields = fields_of(filling.form)
    listed = ", ".join(f"`{_field_name(field)}`" for field in fields[:_MOST_NAMES])
    there = f"the form has {listed}"
    if filling.unknown:
        raise TaskError(f"Element not found: `{filling.unknown[0]}` is not a field - {there}")
    if not filling.entries:
        raise TaskError(f"Element not found: the goal names no field of the form - {there}")
    submits = wants_submit(goal)
    names = {field["pp_id"]: _field_name(field) for field in fields}
    filled = [names[entry["pp_id"]] for entry in filling.entries]
    await report(Step("fill", f"Filling in {', '.join(filled)}", ", ".join(filled)))
    action = {"type": "enter_data", "form_data": list(filling.entries), "submit": submits}
    try:
        if submits:
            change = await submit(actor, action)
        else:
            change = PageChange.read(await actor.act(action))
    except ToolError as error:
        raise TaskError(f"The form could not be filled in: {error_text(error)}") from None
    view = await view_page(actor)
    check_access(view)
    if submits:
        text = f"Form submitted: {view.title}"
        await report(Step("fill", text, view.snapshot.url, view.page_type))
    lines = (*change.alerts, *(change.appeared if submits else ()))
    messages = [line.lstrip("# ") for line in lines if not _ELEMENT_LINE.match(line)]
    return {**view.to_dict(), "filled": filled, "submitted": submits, "messages": messages}


def _field_name(field: Field) -> str:
    return str(field.get("label") or field.get("name") or field.get("type") or "field")


async def _objects(actor: Actor, kind: str) -> list[Mapping[str, Any]]:
    """Return the objects in the list with which a page answers; anything else is left out."""
    found = await actor.act({"type": kind})
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _only(keys: tuple[str, ...], data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in keys if key in data}


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
