"""The page that asks a visitor whether an assistant may connect: HTML without a script, in five languages."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from starlette.responses import HTMLResponse

_STYLE: Final = """
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a404c); --quiet: light-dark(#5a6270, #a3abb8); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#f3f5f8, #101216); color: light-dark(#1a1d23, #e8eaee); }
main { box-sizing: border-box; width: min(30rem, 100%); padding: 1.5rem; overflow-wrap: anywhere;
  background: light-dark(#fff, #181b21); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.25rem; line-height: 1.3; }
dl { display: grid; gap: .75rem; margin: 0 0 1rem; padding: 1rem 0; border-block: 1px solid var(--line); }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0; font-weight: 600; }
p { margin: 0 0 1rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem; }
button { flex: 1; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: inherit; background: none; border: 1px solid light-dark(#7a8290, #8a93a3); border-radius: .5rem; }
button[value=connect] { color: #fff; background: #1c5fd4; border-color: #1c5fd4; }
:focus-visible { outline: 3px solid light-dark(#1c5fd4, #8ab4ff); outline-offset: 2px; }
"""
_HASH: Final = base64.b64encode(sha256(_STYLE.encode()).digest()).decode()
_RIGHT_TO_LEFT: Final = ("ar",)


@dataclass(frozen=True, slots=True)
class Question:
    """The question to a visitor."""

    site: str
    name: str
    """The assistant's own name for itself; may be empty."""
    client: str
    """The host that its document is on; empty for one that has registered itself."""
    returns_to: str
    """The host that it returns to; empty for a program on the visitor's device."""
    account: str
    """The visitor's; empty for a stranger."""
    redirect_source: str
    """Where the browser is sent with the answer, as a source of a Content-Security-Policy."""
    fields: Mapping[str, str]
    """The hidden fields of the form."""


def consent_page(asked: Question, accept_language: str) -> HTMLResponse:
    """Return the question as a page.

    Args:
        asked: The question.
        accept_language: The header of the request.
    """
    language, texts = _texts(accept_language)
    name = asked.name or texts["no_name"]
    rows = {
        texts["site"]: asked.site,
        texts["account"]: asked.account or texts["this_browser"],
        texts["client"]: asked.client or texts["not_known"],
        texts["returns_to"]: asked.returns_to or texts["device"],
    }
    listed = "".join(
        f"<div><dt>{escape(each)}</dt><dd>{escape(rows[each])}</dd></div>" for each in rows
    )
    hidden = "".join(
        f'<input type="hidden" name="{escape(key)}" value="{escape(value)}">'
        for key, value in asked.fields.items()
    )
    buttons = "".join(
        f'<button name="answer" value="{answer}">{escape(texts[answer])}</button>'
        for answer in ("connect", "cancel")
    )
    title = texts["question"].format(name=name)
    return _page(
        language,
        title,
        f"<h1>{escape(title)}</h1><dl>{listed}</dl><p>{escape(texts['what'])}</p>"
        f'<p>{escape(texts["asks"])}</p><form method="post" action="consent">{hidden}{buttons}</form>',
        f"form-action 'self' {asked.redirect_source}",
    )


def message_page(
    message: str, status: int, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """Return a sentence to a visitor as a page."""
    body = f"<h1>{escape(message)}</h1>"
    return _page("en", message, body, "form-action 'none'", status, headers)


def _page(
    language: str,
    title: str,
    body: str,
    policy: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    direction = "rtl" if language in _RIGHT_TO_LEFT else "ltr"
    return HTMLResponse(
        f'<!doctype html><html lang="{language}" dir="{direction}"><meta charset="utf-8">'
        f'<title>{escape(title)}</title><meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style><main>{body}</main></html>",
        status,
        {
            "cache-control": "no-store",
            "content-security-policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; "
            f"base-uri 'none'; frame-ancestors 'none'; {policy}",
            "x-frame-options": "DENY",
            # The answer is a form, whose `Origin` would be `null` without any referrer.
            "referrer-policy": "same-origin",
            "x-robots-tag": "noindex",
            **(headers or {}),
        },
    )


def _texts(accept_language: str) -> tuple[str, Mapping[str, str]]:
    """Return the first language of a header that has texts, and these; else English."""
    texts = _all_texts()
    for part in accept_language.split(",")[:20]:
        language = part.partition(";")[0].strip().lower().partition("-")[0]
        if language in texts:
            return language, texts[language]
    return "en", texts["en"]


@cache
def _all_texts() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = json.loads(
        Path(__file__).with_name("consent_texts.json").read_text("utf-8")
    )
    return found
