"""The values for the fields of a form in a goal: `… with name Ada and e-mail ada@x.org`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webagent_dev.agents.goal_api.intents import unquoted, without_addresses

Field = Mapping[str, Any]
Form = Mapping[str, Any]

_SYNONYMS: dict[str, str] = {
    "email": r"e-?mails?(?:\s+address)?|mail\s+address",
    "tel": r"(?:tele)?phone(?:\s+number)?|mobile(?:\s+number)?",
    "message": r"message|text|comments?|enquiry|inquiry",
    "name": r"(?:full\s+)?name",
    "topic": r"topic|subject|reason",
    "date": r"date|day",
    "password": r"password",
}
"""Other words for fields, by their type or by a word of their name."""
_FOREIGN_FIELD = re.compile(
    rf"(?:,|;|\band\b)\s+(?:(?:the|my|a)\s+)?({'|'.join(_SYNONYMS.values())})\s+\S", re.IGNORECASE
)
_FOREIGN_VALUE = re.compile(
    r"\b(?:and|plus)\s+(?:(?:the|my|an?)\s+)?([a-z][\w-]+)\s+[\d\"“”'‘`«]", re.DOTALL
)
_FOREIGN_TAIL = re.compile(r"\b(?:and|plus)\s+(?:(?:the|my|an?)\s+)?([a-z][\w-]+)\s+\S+$")
"""The same after a name, which goes on with a capital: `Ada and colour red`, but `Ada and Bob`."""
_SMALL = re.compile(
    r"^(?:your|the|a|an|my|please|enter)\s+|\s*\((?:optional|required)\)|[*:]", re.IGNORECASE
)
_LEAD = re.compile(r"\s*(?:(?:field|set|being)\s+)?(?:=|:|is\b|as\b|to\b|of\b|with\b)?\s*")
_ORDER = re.compile(
    r"\b(?:(?:do\s+not|don['’]t|never|without)\s+)?"
    r"(?:submit|send|press|click|post|subscribe|register)(?:ting|ing)?\b"
    r"(?:\s+(?:it|the\s+form|the\s+message|this|that|anything|off))?[\s.!]*$",
    re.IGNORECASE,
)
"""An order at the end of a goal about the whole form."""
_BETWEEN = re.compile(
    r"and|with|as|plus|also|then|but|the|my|an?|for|in|into|using|set|enter|put|choose|select"
    r"|(?:un)?(?:tick|check)|accept"
)
"""Words between a value and the next field."""
_LAST_WORD = re.compile(r"(?<!\S)(\w+)$")
_SEPARATORS = " ,;\n\t"
_SENTENCE = re.compile(r"[.!?]\s+(?=[A-Z])|[.!]\s*$")
_NEXT = re.compile(r";|,(?=\s*[A-Za-z][\w -]{0,30}[:=])")
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "`": "`", "«": "»"}
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_YES = re.compile(
    r"\b(?:check|tick|accept|agree(?:\s+to)?|subscribe(?:\s+to)?|enable)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:uncheck|untick|decline|disable)\s+(?:the\s+)?$", re.IGNORECASE)
_SUBMIT = re.compile(
    r"\b(?:submit|send|post it|subscribe|register|sign\s+(?:me\s+)?up)\b", re.IGNORECASE
)
_NOT_SUBMIT = re.compile(
    r"\b(?:(?:do\s+not|don['’]t|never|without|not)\s+(?:yet\s+)?(?:submit|send)|un(?:sent|submitted))",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"(?:^|[,;\n]|\bwith\b|\band\b)\s*"
    r"([A-Za-z](?:(?!\b(?:with|and)\b)[\w -]){0,30}?)\s*[:=]\s*\S"
)
_NO_FIELD = re.compile(r"\b(?:forms?|fill|fields|page|enter|submit|with)\b", re.IGNORECASE)
_ANOTHER = re.compile(
    r"(?:^\s*(?:[,;]|and\b|plus\b)|^.*?\bwith\b)[\s,;]*(?:(?:and|also|with|the|my|an?)\s+)*"
    r"(?!(?:tell|show|say|report|return|check|go|click|press|wait|read|then|do|see|find|open|submit"
    r"|send|don)\b)([\w-]+\s+\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Words next to a value that are another field and its value."""
_CHECKS = ("checkbox", "switch")
_LONG = ("textarea",)
_LONGEST_NAME = 60
_MOST_FORMS = 100
_MOST_FIELDS = 200
"""Limit of one form: each field is looked for in the whole goal."""


@dataclass(frozen=True, slots=True)
class Filling:
    """A form, and what to enter in it."""

    form: Form
    entries: tuple[dict[str, Any], ...]
    unknown: tuple[str, ...]
    """Fields that the goal names and the form does not have."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """Where a goal names a field."""

    start: int
    end: int
    field: Field


def wants_submit(goal: str) -> bool:
    """Whether a goal says that the form is to be submitted."""
    bare = unquoted(goal)
    return bool(_SUBMIT.search(bare)) and not _NOT_SUBMIT.search(bare)


def filling_of(goal: str, forms: Sequence[Form]) -> Filling | None:
    """Return what a goal wants to fill in; None without a form.

    Of several forms, the one with fields for most of the values counts, then the one that the goal
    names, then one that is not for searching.
    """
    usable = [form for form in forms[:_MOST_FORMS] if fields_of(form)]
    if not usable:
        return None

    def fits(form: Form) -> tuple[int, int, bool]:
        return len(values_in(goal, fields_of(form))), _named(goal, form), not _searches(form)

    form = max(usable, key=fits)
    entries = tuple(values_in(goal, fields_of(form)))
    aliases = [_aliases(field) for field in fields_of(form)]
    named = [found[1].strip() for found in _PAIR.finditer(without_addresses(unquoted(goal)))]
    unknown = (
        word
        for word in named
        if not _NO_FIELD.search(word) and not any(alias.search(word) for alias in aliases)
    )
    left = _left_over(goal, fields_of(form), entries)
    return Filling(form, entries, tuple(dict.fromkeys((*unknown, *left))))


def fields_of(form: Form) -> list[Field]:
    """Return the fields of a form that can be filled in."""
    fields = form.get("fields")
    return [
        field
        for field in _mappings(fields)[:_MOST_FIELDS]
        if type(field.get("pp_id")) is int
        and not field.get("disabled")
        and not field.get("readonly")
    ]


def values_in(goal: str, fields: Sequence[Field]) -> list[dict[str, Any]]:
    """Return an entry of `enter_data` for each field that a goal has a value for."""
    if order := _ORDER.search(goal):
        goal = _trimmed(goal[: order.start()])
    mentions = _mentions(goal, fields)
    entries: dict[int, dict[str, Any]] = {}
    ends = [mention.start for mention in mentions[1:]] + [len(goal)]
    for mention, end in zip(mentions, ends, strict=False):
        number = mention.field["pp_id"]
        value = _value(goal, mention, end)
        if number not in entries and value is not None:
            entries[number] = {"pp_id": number, **value, **_secret(mention.field)}
    mails = [field for field in fields if field.get("type") == "email"]
    free = [mail for mail in _EMAIL.findall(goal) if not _is_used(mail, entries)]
    if len(mails) == len(free) == 1 and mails[0]["pp_id"] not in entries:
        number = mails[0]["pp_id"]
        entries[number] = {"pp_id": number, "text": free[0]}
    return [entries[field["pp_id"]] for field in fields if field["pp_id"] in entries]


def _left_over(
    goal: str, fields: Sequence[Field], entries: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield what a goal says next to its values as if it was for a field too: `, colour red`."""
    if order := _ORDER.search(goal):
        goal = _trimmed(goal[: order.start()])
    mentions = _mentions(goal, fields)
    texts = {entry["pp_id"]: str(entry.get("text", "")) for entry in entries}
    ends = [mention.start for mention in mentions[1:]] + [len(goal)]
    parts = []
    if mentions and (before := goal[: mentions[0].start].rstrip()) != _trimmed(before):
        parts.append(before)
    for mention, end in zip(mentions, ends, strict=False):
        text = texts.get(mention.field["pp_id"], "")
        at = goal.find(text, mention.end, end) if text else -1
        if at >= 0 and mention.field.get("type") not in _LONG:
            parts.append(goal[at + len(text) : end].lstrip("".join(_QUOTES.values())))
            # Another field that this form does not have: `Ada and phone 555`.
            yield from (
                found[1]
                for pattern in _foreign(mention.field, text)
                for found in pattern.finditer(text)
                if not _is_named(found[1], fields)
            )
    for part in parts:
        if found := _ANOTHER.search(_SENTENCE.split(part, maxsplit=1)[0]):
            yield _trimmed(re.split(r"[,;]", found[1], maxsplit=1)[0])[:_LONGEST_NAME]


def _foreign(field: Field, text: str) -> Iterator[re.Pattern[str]]:
    """Yield what finds another field in the value of one."""
    yield _FOREIGN_FIELD
    yield _FOREIGN_VALUE
    label = " ".join(str(field.get(key) or "") for key in ("label", "name"))
    if text[:1].isupper() and re.search(r"\bname\b", label, re.IGNORECASE):
        yield _FOREIGN_TAIL


def _is_named(word: str, fields: Sequence[Field]) -> bool:
    return any(_aliases(field).search(word) for field in fields)


def _is_used(mail: str, entries: Mapping[int, dict[str, Any]]) -> bool:
    return any(mail in str(entry.get("text", "")) for entry in entries.values())


def _mentions(goal: str, fields: Sequence[Field]) -> list[_Mention]:
    """Return where fields are named, in order; never inside of another or of quotation marks."""
    quoted = [span for start, end in _QUOTES.items() for span in _quotations(goal, start, end)]
    found = [
        _Mention(match.start(), match.end(), field)
        for field in fields
        for match in _aliases(field).finditer(goal)
        if not any(start < match.start() < end for start, end in quoted)
        and not re.match(r"\s+(?:forms?|page)\b", goal[match.end() :], re.IGNORECASE)
    ]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[_Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _quotations(goal: str, start: str, end: str) -> Iterator[tuple[int, int]]:
    pattern = rf"(?<!\w){re.escape(start)}[^{re.escape(end)}]*{re.escape(end)}(?!\w)"
    return (match.span() for match in re.finditer(pattern, goal))


def _aliases(field: Field) -> re.Pattern[str]:
    """Return what matches the names of a field."""
    texts = [str(field.get(key) or "") for key in ("label", "name", "placeholder")]
    words = {_SMALL.sub("", _SMALL.sub("", text)).strip() for text in texts}
    patterns = [
        r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", word)))
        for word in words
        if 1 < len(word) < _LONGEST_NAME
    ]
    kind = str(field.get("type") or "")
    for key, synonyms in _SYNONYMS.items():
        is_kind = key == kind or (key == "message" and kind in _LONG)
        if is_kind or any(re.search(rf"\b{key}\b", text, re.IGNORECASE) for text in texts):
            patterns.append(synonyms)
    longest_first = sorted(set(patterns), key=len, reverse=True) or [r"(?!)"]
    return re.compile(rf"(?<![\w@.])(?:{'|'.join(longest_first)})(?![\w@])", re.IGNORECASE)


def _value(goal: str, mention: _Mention, end: int) -> dict[str, Any] | None:
    """Return the value for a field that is named; None without one."""
    kind = str(mention.field.get("type") or "")
    before = goal[: mention.start]
    if kind in _CHECKS and (_YES.search(before) or _NO.search(before)):
        return {"check": not _NO.search(before)}
    lead = _LEAD.match(goal, mention.end)
    start = lead.end() if lead else mention.end
    mark = _QUOTES.get(goal[start : start + 1])
    if mark and (close := goal.find(mark, start + 1)) > 0:
        return {"text": goal[start + 1 : close]}
    rest = goal[start:end]
    text = _trimmed(rest) if end < len(goal) else rest
    if kind not in _LONG:
        text = _NEXT.split(_SENTENCE.split(text, maxsplit=1)[0], maxsplit=1)[0]
    text = text.strip(" ,;\n\t")
    if kind == "email":
        mail = _EMAIL.search(text)
        text = mail[0] if mail else text
    if kind in _CHECKS:
        return (
            {"text": text}
            if re.fullmatch(r"yes|no|on|off|true|false", text, re.IGNORECASE)
            else None
        )
    return {"text": text} if text else None


def _trimmed(text: str) -> str:
    """Return a text without the words that lead on from it: `Ada, and my` becomes `Ada`."""
    text = text.rstrip(_SEPARATORS)
    while (last := _LAST_WORD.search(text, max(0, len(text) - 20))) and _BETWEEN.fullmatch(last[1]):
        text = text[: last.start(1)].rstrip(_SEPARATORS)
    return text


def _secret(field: Field) -> dict[str, bool]:
    return {"secret": True} if field.get("type") == "password" else {}


def _named(goal: str, form: Form) -> int:
    """Return how many words of the names of a form are in a goal."""
    names = [form.get("name"), *(button.get("text") for button in _mappings(form.get("buttons")))]
    words = {word for text in names for word in re.findall(r"\w{4,}", str(text or "").lower())}
    return len(words & set(re.findall(r"\w{4,}", goal.lower())))


def _mappings(data: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list of a page; nothing for any other value."""
    return [item for item in data if isinstance(item, Mapping)] if isinstance(data, list) else []


def _searches(form: Form) -> bool:
    fields = fields_of(form)
    return len(fields) == 1 and fields[0].get("type") == "search"
