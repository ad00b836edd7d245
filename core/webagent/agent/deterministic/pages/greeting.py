"""What can be done here, for somebody who says hello or asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.pages.lexicon import page_words
from webagent.agent.deterministic.pages.page_words import sentences
from webagent.agent.deterministic.reading.language import language, languages
from webagent.agent.deterministic.reading.tokens import identifier_words, tokens_of
from webagent.speech import say, spoken

_MOST: Final = 8
_LONGEST: Final = 60
_MOST_WORDS: Final = 16


def asks_what_there_is(sentence: Sentence) -> bool:
    """Whether somebody only greets, or asks what can be done: `hello`, `was kannst du hier?`."""
    if not sentence.tokens or len(sentence.tokens) > _MOST_WORDS:
        return False
    # So few words do not always say their language.
    codes = dict.fromkeys((sentence.language.code, *languages()))
    return any(_is_all_greeting(sentence.text, code) for code in codes)


def _is_all_greeting(text: str, code: str) -> bool:
    words, speech = page_words(code), language(code)
    tokens = [token for token in tokens_of(text, speech) if not token.is_sign]
    at, greets = 0, False
    while at < len(tokens):
        asked, tail = (words.at(tokens, at, role) for role in ("helps", "help_ends"))
        greeted = words.has("greetings", tokens[at])
        if asked or tail:
            at = max(said.end for said in (asked, tail) if said)
        elif greeted or speech.phrase_at(tokens, at, "polite"):
            at += 1
        else:
            return False
        # A courtesy alone is no greeting.
        greets = greets or greeted or asked is not None
    return greets


def what_there_is(tools: Sequence[ToolWords]) -> str:
    """Return what the tools of a page do, in a few words each."""
    named = list(dict.fromkeys(_short(tool) for tool in tools))
    if not named:
        return say("hello")
    listed, more = "; ".join(named[:_MOST]), len(named) - _MOST
    if more > 0:
        listed = say("tools_and_more", tools=listed, count=more)
    return say("hello_tools", tools=listed)


def _short(tool: ToolWords) -> str:
    """Return a tool's title, or its description's first words where these are few."""
    first = (sentences(tool.description[:400].strip()) or [""])[0].rstrip(".!? ")
    name = " ".join(identifier_words(tool.name)) or tool.name
    said = tool.title or (first if 0 < len(first) <= _LONGEST else name)
    if said[:2].isupper() or not spoken().is_english:
        return said
    return said[:1].lower() + said[1:]
