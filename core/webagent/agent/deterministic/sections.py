"""Questions that a search of texts answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

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

_TEXTS: Final = frozenset(("text", "content", "excerpt", "snippet"))
_LINKS: Final = frozenset(("url", "link"))
_LATER: Final = 0.05
_NAMED: Final = 0.9
_LEAST: Final = 40
_Section = tuple[str, str, str, Mapping[str, Any]]
"""Title, page and text; the data without the text."""


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
