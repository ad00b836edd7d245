"""Questions that a search of texts answers: the passage of a section that says it, and where that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

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
from webagent.agent.deterministic.reading.language import Language
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.agent.deterministic.results import Result
from webagent.agent.deterministic.state import Task
from webagent.page.snapshot import Snapshot
from webagent.speech import listed, say

_TEXTS: Final = frozenset(("text", "content", "body", "excerpt", "snippet"))
_LINKS: Final = frozenset(("url", "href", "link"))
_LATER: Final = 0.05
"""What a later section loses."""
_NAMED: Final = 0.9
"""How much of a question a title has that asks for the whole section."""
_LEAST: Final = 40
"""Characters of a passage that says something."""


class _Section(NamedTuple):
    title: str
    around: str
    """Its other names, such as that of its page."""
    text: str
    shown: Mapping[str, Any]


def searches_texts(tool: ToolWords) -> bool:
    """Whether a tool takes words only, and gives sections of texts with their addresses."""
    needed = [p for p in tool.parameters if p.required]
    is_search = tool.reads and not tool.problem and len(needed) == 1 and needed[0].is_query
    return is_search and not (_TEXTS.isdisjoint(tool.outputs) or _LINKS.isdisjoint(tool.outputs))


def about_texts(
    sentence: Sentence, first: int, end: int, tools: Sequence[ToolWords]
) -> Task | None:
    """Return the search whose sections may answer a question; None if it is no question."""
    for tool in filter(searches_texts, tools):
        query = next(p for p in tool.parameters if p.required)
        if (said := _said(sentence, first, end, tool)) and sentence.asks(first, end):
            return Task(first, end, tool.name, given=[[[*query.path], _words(sentence, said)]])
    return None


def told_by_texts(
    sentence: Sentence, task: Task, tool: ToolWords, result: Result
) -> tuple[str, Any]:
    """Return the answer of sections, and the section without its text, or the nearest ones."""
    said = _said(sentence, task.first, task.end, tool)
    sections, words = [*_sections(result)], _words(sentence, said)
    if not sections:
        return say("found_nothing", words=words), []
    best, told, shown = -1.0, "", sections[0].shown
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
                told = f"{title if own or not page else around}: {found.text}"
    if told:
        return told, shown
    titles = listed([each.title for each in sections[:3]])
    return say("nearest_texts", words=words, titles=titles), [each.shown for each in sections[:3]]


def _named(sentence: Sentence, said: Sequence[int], title: str, speech: Language) -> float:
    """Return how much of a question a title has; 1 where the question names the whole title."""
    words = {word for i in said for word in (sentence.tokens[i].key, sentence.tokens[i].stem)}
    own = [t for t in tokens_of(title, speech) if not (t.is_sign or t.is_stop)]
    # A single word may name something else; an identifier does not.
    telling = len(own) > 1 or any(not one.text.isalpha() for one in own)
    if telling and all(words & {one.key, one.stem} for one in own):
        return 1.0
    return covered(sentence, said, title, speech)


def _said(sentence: Sentence, first: int, end: int, tool: ToolWords) -> list[int]:
    """Return the words that say what a question is about: not `use` or `mean`."""
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
            yield _Section(item.name, around, texts[own], shown)
