"""The Content-Security-Policy that lets the agent work, and the site's own pages as they are."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from webagent.html_tags import StartTag, start_tags
from webagent_site.config.urls import model_url

_END = re.compile(r"</script(?=[\t\n\f\r />])", re.IGNORECASE)
_META = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')
_SCRIPTS = frozenset(("", "module", "text/javascript", "application/javascript", "importmap"))
"""Values of `type` that run, or that a policy on scripts judges."""


_LOADS = {
    ("script", "src"): "script-src",
    ("img", "src"): "img-src",
    ("iframe", "src"): "frame-src",
    ("audio", "src"): "media-src",
    ("video", "src"): "media-src",
    ("source", "src"): "media-src",
}
"""The directive that has to allow what a tag loads; for `<link>` its `rel` decides."""
_LINKS = {"stylesheet": "style-src", "icon": "img-src", "modulepreload": "script-src"}


def page_policy(pages: Iterable[str], models: Iterable[str], *, styled: bool = False) -> str:
    """Return the policy to set for all pages.

    Args:
        pages: HTML, each page whole.
        models: Where pages ask models, as in `data-llm`.
        styled: Whether scripts of the site write styles into the markup that they make.
    """
    hashes: dict[str, None] = {}
    handlers: dict[str, None] = {}
    elsewhere: dict[str, dict[str, None]] = {}
    for page in pages:
        for tag in start_tags(page):
            styled = styled or tag.name == "style" or "style" in tag.attributes
            if tag.name == "script" and "src" not in tag.attributes and _runs(tag):
                end = _END.search(page, tag.end)
                hashes[_hash(page[tag.end : end.start() if end else len(page)])] = None
            handlers |= {
                _hash(value): None
                for name, value in tag.attributes.items()
                if name.startswith("on") and value.strip()
            }
            for directive, origin in _foreign(tag):
                elsewhere.setdefault(directive, {})[origin] = None
    asked = dict.fromkeys(filter(None, (_origin(model_url(model)) for model in models)))
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
    if handlers:
        rules["script-src"] += ["'unsafe-hashes'", *handlers]
    for directive, origins in elsewhere.items():
        rules.setdefault(directive, ["'self'"]).extend(origins)
    return "; ".join(" ".join([name, *values]) for name, values in rules.items())


def sandbox_policy(sandbox: str) -> str:
    """Return the policy of the file in which programs run, which is its own and no other.

    Args:
        sandbox: The HTML of `sandbox.html`.
    """
    found = _META.search(sandbox)
    assert found is not None
    return found[1]


def _foreign(tag: StartTag) -> Iterator[tuple[str, str]]:
    """Yield what a tag loads from other origins: the directive, and the origin."""
    for (name, attribute), directive in _LOADS.items():
        if tag.name == name and (origin := _other(tag.attributes.get(attribute, ""))):
            yield directive, origin
    if tag.name == "link" and (origin := _other(tag.attributes.get("href", ""))):
        for word in tag.attributes.get("rel", "").lower().split():
            if word in _LINKS:
                yield _LINKS[word], origin


def _other(address: str) -> str:
    """Return the origin of an address that names one, as a policy has it."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        # Browsers load nothing from it either.
        return ""
    if not parts.netloc or parts.scheme not in ("", "http", "https"):
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme else parts.netloc


def _runs(script: StartTag) -> bool:
    return script.attributes.get("type", "").strip().lower() in _SCRIPTS


def _hash(script: str) -> str:
    # Browsers hash what they read, in which every line ends in `\n`.
    text = script.replace("\r\n", "\n").replace("\r", "\n")
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
