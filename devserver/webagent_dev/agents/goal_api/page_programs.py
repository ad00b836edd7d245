"""Logging in: finds the form, enters what was given, and looks where that leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webagent.errors import ToolError
from webagent_dev.agents.goal_api.actor import Actor, in_words
from webagent_dev.agents.goal_api.form_values import Field, Form, fields_of
from webagent_dev.agents.goal_api.intents import Credentials
from webagent_dev.protocols.browsy.answer import MOST_WAITS, Answer, send, wait
from webagent_dev.protocols.browsy.seen import arrive, look, refuse_walls
from webagent_dev.protocols.browsy.steps import Step, Tell, Unable

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
