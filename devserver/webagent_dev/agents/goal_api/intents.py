"""The intent of a task: its params decide first, then the words of its goal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from webagent_dev.agents.goal_api.request import Credentials, Params

Name = Literal["search", "login", "extract_tables", "extract", "fill_form", "browse"]

_URL = re.compile(r"\bhttps?://[^\s<>\"'`]+", re.IGNORECASE)
_URL_PATH = re.compile(
    r"(?<![\w./@:-])(?:/[A-Za-z0-9_~%][\w.~%/?=&+#-]*"
    r"|[A-Za-z0-9_-][\w./-]*\.(?:html?|php|aspx?|jsp)(?:[?#][^\s\"'`]*)?)(?![\w@])"
)
"""`/contact`, or the name of a page: `contact.html?topic=order`."""
_LOCALHOST = re.compile(r"(?<![\w./@-])localhost(?::\d{1,5})?(?:/[^\s<>\"'`]*)?(?![\w.@-])")
_TOP_DOMAINS = (
    "com|org|net|edu|gov|int|info|biz|name|pro|io|dev|app|ai|cloud|page|site|shop|store|blog|news"
    "|online|tech|wiki|eu|uk|us|ca|au|nz|ie|de|at|ch|li|fr|be|nl|lu|es|pt|it|dk|se|no|fi|pl|cz|sk"
    "|hu|ro|gr|tr|ua|ru|in|jp|cn|kr|tw|hk|sg|br|mx|ar|cl|co|za|il|example|test|localhost"
)
_HOST = re.compile(
    rf"(?<![\w./@:-])(?:www\.(?:[a-z0-9-]+\.)+[a-z]{{2,}}"
    rf"|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:{_TOP_DOMAINS}))"
    r"(?::\d{1,5})?(?:/[^\s<>\"'`]*)?(?![\w@])(?!\.\w)",
    re.IGNORECASE,
)
"""A word with dots is a host only with the ending of one, unlike `e.g.`, `v1.0` and `Node.js`."""
_SENTENCE_END = ".,;:!?)]}'\"»”’"
_SEARCH = re.compile(r"\bsearch(?:es|ing)?\b", re.IGNORECASE)
_FIND = re.compile(r"\b(?:find|look(?:ing)?\s+(?:up|for))\b", re.IGNORECASE)
"""Counts only before all other words: `fill the form with topic Find a book` is not a search."""
_LOGIN = re.compile(
    r"\b(?:log(?:ging)?[-\s]?in(?:to)?|sign(?:ing)?[-\s]in(?:to)?|login)\b", re.IGNORECASE
)
_TABLE = re.compile(r"\btables?\b", re.IGNORECASE)
_EXTRACT = re.compile(r"\b(?:extract(?:s|ing)?|scrap(?:e|es|ing))\b", re.IGNORECASE)
_FILL = re.compile(r"\b(?:fill(?:s|ing)?|forms?|submit(?:s|ting)?)\b", re.IGNORECASE)
_WORDS: dict[Name, re.Pattern[str]] = {
    "login": _LOGIN,
    "extract_tables": _TABLE,
    "extract": _EXTRACT,
    "fill_form": _FILL,
}
"""The words of each intent but searching; of several, the first counts."""
_LINKS = re.compile(r"\blinks?\b", re.IGNORECASE)
_TEXT = re.compile(r"\b(?:text|article|content|words|page)\b", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "‘": "’", "`": "`"}
_QUOTED = "|".join(
    f"{re.escape(a)}([^{re.escape(b)}]+){re.escape(b)}(?!\\w)" for a, b in _QUOTES.items()
)
_QUERY = re.compile(
    r"\b(?:search(?:es|ing)?|find|look(?:ing)?\s+(?:up|for))\b\s*"
    r"(?:(?:the|this|our|your|its|my)\s+)?"
    r"(?:(?:whole\s+)?(?:site|website|web|page|shop|store|catalogue|catalog|internet)\b\s*)?"
    rf"(?:for\b\s*|me\b\s*|:\s*)?(?:(?:the\s+)?words?\s+)?(?:{_QUOTED}|([^.!?\n]+))",
    re.IGNORECASE,
)
_NEXT_STEP = re.compile(
    r"(?:\s*[,;]\s*|\s+)(?:and|then|and\s+then)\s+"
    r"(?:extract|scrape|return|list|show|tell|give|report|summari[sz]e|open|click|read|get)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_ON_THE_SITE = re.compile(
    r"\s+(?:on|in|at|from)\s+(?:the|this|our|your)\s+"
    r"(?:site|website|page|shop|store|catalogue|catalog|web)\s*$",
    re.IGNORECASE,
)
_NOT_A_QUERY = re.compile(r"(?:the\s+)?(?:form|page|box|bar|field|results?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Intent:
    """What to do, and where."""

    name: Name
    goal: str
    url: str = ""
    """Where to go first; empty for the page as it is."""
    query: str = ""
    """What to search for."""
    extract: tuple[str, ...] = ()
    """What to extract: `links`, `text`, or another word of the client."""
    credentials: Credentials | None = None


def intent_of(goal: str, params: Params) -> Intent:
    """Return what a task wants."""
    name = _name_by_params(params) or _name_by_words(goal)
    return Intent(
        name,
        goal,
        url=params.url or address_in(goal),
        query=(params.search_query or query_in(goal)) if name == "search" else "",
        extract=_extract_of(goal, params, name),
        credentials=params.credentials if name == "login" else None,
    )


def query_in(goal: str) -> str:
    """Return the words that a goal wants to search for, empty without any."""
    for found in _QUERY.finditer(without_addresses(goal)):
        *quoted, plain = found.groups()
        if words := next(filter(None, quoted), ""):
            return words.strip()
        words = _ON_THE_SITE.sub("", _NEXT_STEP.sub("", plain or "")).strip(" ,;:\"'`“”")
        if not _NOT_A_QUERY.fullmatch(words):
            return words
    return ""


def _extract_of(goal: str, params: Params, name: Name) -> tuple[str, ...]:
    """Return what to extract besides tables, which are an intent of their own."""
    others = tuple(kind for kind in params.extract if not _TABLE.fullmatch(kind.strip()))
    if name == "extract_tables":
        return others
    return (others or _extract_by_words(goal)) if name == "extract" else ()


def _name_by_params(params: Params) -> Name | None:
    if params.search_query:
        return "search"
    if params.credentials:
        return "login"
    if any(_TABLE.fullmatch(wanted.strip()) for wanted in params.extract):
        return "extract_tables"
    return "extract" if params.extract else None


def _name_by_words(goal: str) -> Name:
    words = unquoted(without_addresses(goal))
    others = {name: found for name, pattern in _WORDS.items() if (found := pattern.search(words))}
    first = min((found.start() for found in others.values()), default=len(words))
    searches = bool(_SEARCH.search(words) or _FIND.search(words, 0, first))
    if searches and query_in(goal):
        return "search"
    return next(iter(others), "search" if searches else "browse")


def _extract_by_words(goal: str) -> tuple[str, ...]:
    words = without_addresses(goal)
    links, text = bool(_LINKS.search(words)), bool(_TEXT.search(words))
    return tuple(kind for kind, wanted in (("links", links), ("text", text or not links)) if wanted)


def address_in(goal: str) -> str:
    """Return the first address in a text, empty if there is none.

    A bare host gets `https://`, or `http://` on this machine; a path stays one.
    """
    if found := _URL.search(goal):
        bare = found[0].rstrip(_SENTENCE_END)
        # A bracket that the address has opened belongs to it.
        closes = bare.count("(") > bare.count(")") and found[0][len(bare) :].startswith(")")
        return f"{bare})" if closes else bare
    if found := _LOCALHOST.search(goal):
        return f"http://{found[0].rstrip(_SENTENCE_END)}"
    if found := _HOST.search(goal):
        return f"https://{found[0].rstrip(_SENTENCE_END)}"
    if found := _URL_PATH.search(goal):
        return found[0].rstrip(_SENTENCE_END)
    return ""


def without_addresses(goal: str) -> str:
    """Return a text without the addresses in it, and without the words that lead to them."""
    for pattern in (_URL, _LOCALHOST, _HOST, _URL_PATH):
        goal = re.sub(
            rf"\b(?:on|at|from|in|of|to)\s+{pattern.pattern}", "", goal, flags=re.IGNORECASE
        )
        goal = pattern.sub("", goal)
    return re.sub(r"\s{2,}", " ", goal).strip()


def unquoted(goal: str) -> str:
    """Return a text with empty quotation marks."""
    return re.sub(r"[\"“«][^\"”»]*[\"”»]", '""', goal)
