"""Questions: the tool whose results say what is asked, or the search of texts that answers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import fill
from webagent.agent.deterministic.candidates.lookups import may_be_empty, name_in
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import generic
from webagent.agent.deterministic.pages.page_words import page_text, shortened
from webagent.agent.deterministic.pages.passages import (
    LONGEST,
    Passage,
    answer,
    covered,
    language_of,
)
from webagent.agent.deterministic.phrases import phrase_length
from webagent.agent.deterministic.reading.language import Language
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.agent.deterministic.references import asked_of, asks_about_it, refers
from webagent.agent.deterministic.results import Result, asked_names
from webagent.agent.deterministic.state import Task
from webagent.page.snapshot import Snapshot
from webagent.speech import listed, say

_VAGUE: Final = frozenset(("got", "get", "have", "show", "find", "sell", "offer"))
"""Verbs with which people ask whether a site has something."""
_TELLING: Final = frozenset(("explain", "say", "get info"))
"""Meanings of verbs that ask for all that is known: `tell me about it`."""
_TEXTS: Final = frozenset(("text", "content", "excerpt", "snippet"))
_LINKS: Final = frozenset(("url", "link"))
_LATER: Final = 0.05
_NAMED: Final = 0.9
_LEAST: Final = 40
_Section = tuple[str, str, str, Mapping[str, Any]]
"""Title, page and text; the data without the text."""


def about_thing(
    sentence: Sentence,
    first: int,
    end: int,
    tools: Sequence[ToolWords],
    names: Collection[str],
    thing: Callable[[Parameter], Any],
    *,
    follows: bool = False,
) -> Task | None:
    """Return the call that answers a question about a thing with a name; None if it is about something else.

    Args:
        sentence: The goal.
        first: First token of the question.
        end: End of the question.
        tools: What can be called.
        names: Names of things that the page lists.
        thing: Returns the id of the thing that was told of, or that the page is about.
        follows: Whether it may be about that thing without a word for it: `how many pages?`.
    """
    kinds = {
        str(found[0].meaning) for i in range(first, end)
        if (found := sentence.language.phrase_at(sentence.tokens, i, "questions"))
    }  # fmt: skip
    marked = any(sentence.tokens[i].text in "?؟" for i in range(first, end))
    said = [
        i for i in range(first, end)
        if sentence.weights[i] >= 0.8 and not phrase_length(sentence, i, "pointing")
    ]  # fmt: skip
    shown = {word for name in names for word in name.casefold().replace(",", " ").split()}
    named = [i for i in said if _is_named(sentence, i, shown)]
    bounds = [v for v in sentence.values if v.bound and first <= v.first and v.end <= end]
    bounded = frozenset(i for value in bounds for i in range(value.first, value.end))
    ordinals = (v for v in sentence.values if v.kind == "ordinal" and first <= v.first < end)
    pointed = bounded.union(i for value in ordinals for i in range(value.first, value.end))
    exact = bool(bounds) or any(sentence.roles[i] == "superlatives" for i in range(first, end))
    points = follows or refers(sentence, (first, end)) or asks_about_it(sentence, (first, end))
    tells = points and not named and asks_to_tell(sentence, first, end)
    if not (kinds or marked or tells) or not (named or exact or points):
        return None
    reading = [tool for tool in tools if tool.reads and not tool.problem]
    best: tuple[float, Task] | None = None
    for tool in reading:
        fields = asked_names(asked_of(sentence, (first, end)), tool.outputs)
        known = tool.noun_stems.union(*fields.values())
        needed = [p for p in tool.parameters if p.required]
        chosen = [
            f
            for f in fill(tool, sentence, first, end).fits
            if f.parameter.kind == "enum" and f.score > 1
        ]
        taken = pointed.union(named, *(fit.tokens for fit in chosen))
        others = [
            i
            for i in said
            if i not in taken
            and not sentence.tokens[i].glosses & (known | _VAGUE | _TELLING | {"more"})
        ]
        query = next((p for p in tool.parameters if p.is_query), None)
        takes = len(needed) == 1 and (
            needed[0] is query
            or needed[0].names_thing
            or any(fit.parameter is needed[0] for fit in chosen)
        )
        # `have you anything by Tolkien?` asks for no field, but whether there is such a thing.
        if others or not takes or not (fields or exact or tells or (query and kinds <= {"is"})):
            continue
        says = bool(fields) or tells
        if says and needed[0].names_thing and not named and points and (own := thing(needed[0])):
            return Task(first, end, tool.name, given=[[[*needed[0].path], own]])
        if (
            not named
            and not chosen
            and (
                query is None
                or not exact
                or not may_be_empty(tool, query)
                or not _is_noun(sentence, said, tool)
            )
        ):
            continue
        task = Task(first, end, tool.name)
        if query is not None and (named or not chosen):
            task.given = [[[*query.path], name_in(sentence, frozenset(named), first)]]
        # What is found by its words needs no second call.
        score = 2.0 * bool(fields) + bool(query) + 2.0 * bool(chosen)
        if best is None or score > best[0]:
            best = score, task
    return best[1] if best else None


def asks_to_tell(sentence: Sentence, first: int, end: int) -> bool:
    """Whether a part of a goal asks for all that there is to say: `tell me more about it`."""
    return any(
        {*sentence.tokens[i].glosses, *sentence.verbs[i]} & _TELLING for i in range(first, end)
    )


def _is_noun(sentence: Sentence, said: Sequence[int], tool: ToolWords) -> bool:
    """Whether a question speaks of what a tool finds: `the most expensive book`."""
    nouns = tool.noun_stems
    return any(sentence.tokens[i].glosses & nouns for i in said)


def _is_named(sentence: Sentence, index: int, shown: Collection[str]) -> bool:
    token, value = sentence.tokens[index], sentence.in_value[index]
    if value is not None:
        return value.kind in ("quoted", "id")
    return sentence.is_name(index) or (len(token.key) > 3 and token.key in shown)


def searches_texts(tool: ToolWords) -> bool:
    """Whether a tool takes words, and gives texts with their addresses."""
    needed = [p for p in tool.parameters if p.required]
    is_search = tool.reads and not tool.problem and len(needed) == 1 and needed[0].is_query
    return is_search and not (_TEXTS.isdisjoint(tool.outputs) or _LINKS.isdisjoint(tool.outputs))


def about_texts(
    sentence: Sentence, first: int, end: int, tools: Sequence[ToolWords]
) -> Task | None:
    """Return the search that may answer a question, if it is one."""
    for tool in filter(searches_texts, tools):
        query = next(p for p in tool.parameters if p.required)
        if (said := _said(sentence, first, end, tool)) and sentence.asks(first, end):
            return Task(first, end, tool.name, given=[[[*query.path], _words(sentence, said)]])
    return None


def answer_from_texts(
    sentence: Sentence, task: Task, tool: ToolWords, result: Result
) -> tuple[str, Any]:
    """Return the answer, and its section without text, or the nearest."""
    said = _said(sentence, task.first, task.end, tool)
    sections, words = [*_sections(result)], _words(sentence, said)
    if not sections:
        return say("found_nothing", words=words), []
    best, extract, shown = -1.0, "", sections[0][3]
    for place, (title, around, text, rest) in enumerate(sections):
        lines = f"# {around}\n## {title}\n{text}"
        speech = language_of(page_text(lines))
        names = (title, around, f"{around} {title}")
        own, page, both = (_named(sentence, said, one, speech) for one in names)
        found = answer(sentence, task.first, task.end, said, Snapshot(text=lines))
        if (named := max(own, page, both)) >= _NAMED:
            # What a title names, its section explains from the beginning.
            found = Passage(shortened(text, LONGEST))
        # `Keys` of another page may be other keys.
        plain = len(said) == 1 and sentence.tokens[said[0]].text.islower()
        is_about = page >= _NAMED or (own and (page or not plain))
        if found and is_about and len(found.text) >= _LEAST:
            score = named + found.coverage - _LATER * place
            if score > best:
                best, shown = score, rest
                extract = f"{title if own or not page else around}: {found.text}"
    if extract:
        return extract, shown
    titles, _, _, nearest = zip(*sections[:3], strict=True)
    return say("nearest_texts", words=words, titles=listed(titles)), [*nearest]


def _named(sentence: Sentence, said: Sequence[int], title: str, speech: Language) -> float:
    words = {word for i in said for word in (sentence.tokens[i].key, sentence.tokens[i].stem)}
    own = [t for t in tokens_of(title, speech) if not (t.is_sign or t.is_stop)]
    # One word may name something else, an identifier does not.
    telling = len(own) > 1 or any(not one.text.isalpha() for one in own)
    if telling and all(words & {one.key, one.stem} for one in own):
        return 1.0
    return covered(sentence, said, title, speech)


def _said(sentence: Sentence, first: int, end: int, tool: ToolWords) -> list[int]:
    said = [i for i in range(first, end) if sentence.weights[i] and not sentence.tokens[i].is_sign]
    vague = tool.noun_stems | {"mean"}
    return [
        i for i in said
        if not sentence.verbs[i] & generic() and not sentence.tokens[i].glosses & vague
    ] or said  # fmt: skip


def _words(sentence: Sentence, said: Sequence[int]) -> str:
    return " ".join(sentence.tokens[i].text for i in said)


def _sections(result: Result) -> Iterator[_Section]:
    for item in result.items:
        if not isinstance(value := item.value, Mapping):
            continue
        texts = {key: " ".join(v.split()) for key, v in value.items() if isinstance(v, str)}
        if own := next(iter(_TEXTS & texts.keys()), None):
            others = [text for key, text in texts.items() if key not in (own, *_LINKS)]
            around = " ".join(text[:LONGEST] for text in others if text != item.name)
            shown = {key: inner for key, inner in value.items() if key != own}
            yield item.name, around, texts[own], shown
