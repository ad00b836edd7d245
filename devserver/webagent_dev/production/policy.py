"""The Content-Security-Policy that lets the agent work, and the site's own pages as they are."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from webagent.tags import StartTag, start_tags

_END = re.compile(r"</script(?=[\t\n\f\r />])", re.IGNORECASE)
_META = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')
_SCRIPTS = frozenset(("", "module", "text/javascript", "application/javascript", "importmap"))
"""Values of `type` that run, or that a policy on scripts judges."""


def page_policy(pages: Iterable[str], llm: str | None, *, styled: bool = False) -> str:
    """Return the policy to set for all pages.

    Args:
        pages: HTML, each page whole.
        llm: Where pages ask a model, None if nowhere.
        styled: Whether scripts of the site write styles into the markup that they make.
    """
    hashes: dict[str, None] = {}
    for page in pages:
        for tag in start_tags(page):
            styled = styled or tag.name == "style" or "style" in tag.attributes
            if tag.name == "script" and "src" not in tag.attributes and _runs(tag):
                end = _END.search(page, tag.end)
                hashes[_hash(page[tag.end : end.start() if end else len(page)])] = None
    asked = [_origin(llm)] if llm and _origin(llm) else []
    rules = {
        "default-src": ["'self'"],
        "script-src": ["'self'", "'wasm-unsafe-eval'", *hashes],
        "connect-src": ["'self'", *asked],
        "frame-src": ["'self'"],
        "img-src": ["'self'", "data:", "blob:"],
        "style-src": ["'self'", *(["'unsafe-inline'"] if styled else [])],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
    }
    return "; ".join(" ".join([name, *values]) for name, values in rules.items())


def sandbox_policy(sandbox: str) -> str:
    """Return the policy of the file in which programs run, which is its own and no other.

    Args:
        sandbox: The HTML of `sandbox.html`.
    """
    found = _META.search(sandbox)
    assert found is not None
    return found[1]


def _runs(script: StartTag) -> bool:
    return script.attributes.get("type", "").strip().lower() in _SCRIPTS


def _hash(script: str) -> str:
    # Browsers hash what they read, in which every line ends in `\n`.
    text = script.replace("\r\n", "\n").replace("\r", "\n")
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _origin(address: str) -> str:
    parts = urlsplit(address.removeprefix("a2a+"))
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
