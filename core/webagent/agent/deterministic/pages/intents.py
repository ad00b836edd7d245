"""What a part of a goal asks of the page itself: to open, click, search, fill in or read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.weights import weights as fitted
from webagent.agent.deterministic.pages import passages
from webagent.agent.deterministic.pages.lexicon import PageWords, everywhere, page_words
from webagent.agent.deterministic.reading.chunks import folded
from webagent.agent.deterministic.reading.language import Language, language
from webagent.agent.deterministic.reading.tokens import Token, tokens_of
from webagent.agent.deterministic.reading.values import Value
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.secrets import is_secret

Name = Literal[
    "open", "click", "scroll", "search", "form", "login", "tables", "outline", "navigation", "code", "summary",
    "screenshot", "read", "about", "author",
]  # fmt: skip
LINKS: Final = frozenset(("link",))
CONTROLS: Final = frozenset(
    ("button", "link", "tab", "menuitem", "checkbox", "radio", "switch", "summary")
)
_OPENERS: Final = frozenset(("button", "tab", "menuitem", "summary"))
_FIELDS: Final = frozenset(("textbox", "combobox", "checkbox", "spinbutton", "radio", "listbox"))
_READERS: Final = frozenset(("tables", "outline", "navigation", "code"))
_TARGETED: Final = frozenset(("open", "click", "show"))
_SIGNS: Final = frozenset(".,;!?:\n")
_LONGEST_NAME: Final = 200
_BY_MEANING: Final = 0.9
"""What a name counts in which no word is one that was said."""
_OF_PAGE: Final = 3.0
"""What it is worth that a question asks for the text of the page."""
_MOST_SENTENCES: Final = 10


@dataclass(frozen=True, slots=True)
class PageIntent:
    """What a part of a goal asks of the page."""

    name: Name
    score: float
    """To be compared with the score of a tool's candidate."""
    features: Mapping[str, float]
    tokens: frozenset[int]
    """Words that it explains."""
    targets: tuple[int, ...] = ()
    """Numbers of the elements that are meant; more than one if they fit alike."""
    text: str = ""
    """An address, what is searched for, a direction, or the number of sentences of a summary."""
    sends: bool = False
    """Whether a form is to be sent."""
    of_page: bool = False
    """Whether it asks what the page says, so that no tool can do it instead."""


class Part:
    """A part of a goal as it is read for a page."""

    def __init__(self, sentence: Sentence, first: int, end: int) -> None:
        """Read the tokens from `first` up to `end`."""
        self.sentence = sentence
        self.first, self.end = first, min(end, len(sentence.tokens))
        self.words: PageWords = page_words(sentence.language.code)

    @cached_property
    def lead(self) -> int:
        """The first token that is no courtesy, joint or wish."""
        at, speech, tokens = self.first, self.sentence.language, self.sentence.tokens
        while at < self.end:
            phrase = speech.phrase_at(
                tokens, at, "polite", "wanting", "conjunctions", "statements", "questions"
            )
            act = self.words.at(tokens, at, "page_acts", self.end)
            if (phrase and phrase[0].role in ("statements", "questions")) or (
                act and (not phrase or act.end >= phrase[1])
            ):
                break
            if phrase:
                at = phrase[1]
            elif (tokens[at].is_sign and tokens[at].text in _SIGNS | {"¿", "¡"}) or self.words.has(
                "page_leads", tokens[at]
            ):
                at += 1
            else:
                break
        return at

    @cached_property
    def act(self) -> tuple[str, frozenset[int]]:
        """What is to be done, and the words of it; nothing for statements, questions and denials."""
        found = self._act()
        if found[0] and not self._is_denied(*found) and not self._is_told(found[1]):
            return found
        return "", frozenset()

    def _act(self) -> tuple[str, frozenset[int]]:
        tokens = self.sentence.tokens
        if self.lead < self.end and self._opener not in ("statements", "questions"):
            if said := self.words.at(tokens, self.lead, "page_acts", self.end):
                return str(said.meaning), said.tokens
            if self.words.verb_last and not self.asks:
                return self._last_act()
        return "", frozenset()

    def _last_act(self) -> tuple[str, frozenset[int]]:
        """Return the verb at the end of an order: `die Kontaktseite öffnen`."""
        tokens = self.sentence.tokens
        last = self.end - 1
        while last > self.lead and tokens[last].is_sign:
            last -= 1
        said = self.words.at(tokens, last, "page_acts", self.end)
        between = range(self.lead, last)
        if said is None or any(
            self.words.has("page_subjects", tokens[i]) or tokens[i].text in _SIGNS for i in between
        ):
            return "", frozenset()
        return str(said.meaning), said.tokens

    @cached_property
    def _opener(self) -> str:
        tokens, at = self.sentence.tokens, self.lead
        phrase = self.sentence.language.phrase_at(
            tokens, at, "statements", "questions", "wanting", "polite"
        )
        return phrase[0].role if phrase else ""

    @property
    def tells(self) -> bool:
        """Whether it is a statement, by its first words."""
        return self._opener == "statements"

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question, rather than an order that is put as one."""
        tokens = self.sentence.tokens
        if self._opener == "questions":
            return self.lead < self.end
        before = range(self.first, self.lead)
        polite = any(self.sentence.roles[i] in ("polite", "wanting") for i in before)
        acts = polite or self.words.at(tokens, self.lead, "page_acts", self.end)
        return not acts and self.sentence.asks(self.first, self.end)

    def _is_denied(self, act: str, said: frozenset[int]) -> bool:
        """Whether a negation is in the clause of a verb: `don't open`, `öffne die Seite nicht`."""
        tokens, verb = self.sentence.tokens, min(said)
        given = self.sentence.language.roles.get("prepositions", {})
        for index in self._clause(verb):
            if index > verb and given.get(tokens[index].key) in ("with", "saying"):
                break
            value = self.sentence.in_value[index]
            if self.sentence.roles[index] != "negators" or (value and value.kind == "quoted"):
                continue
            # `click No thanks`: the negator belongs to a name, which has to have it then.
            named = act in _TARGETED and (tokens[index].is_capital or index + 1 < self.end)
            if index < verb or not named:
                return True
        return False

    def _is_told(self, said: frozenset[int]) -> bool:
        """Whether a word is what a statement is about: `login is broken`."""
        phrase = self.sentence.language.phrase_at(self.sentence.tokens, max(said) + 1, "questions")
        return phrase is not None and phrase[0].meaning == "is" and max(said) + 1 < self.end

    @cached_property
    def things(self) -> Mapping[int, str]:
        """Words for parts of a page, by their places."""
        found: dict[int, str] = {}
        at = self.first
        while at < self.end:
            said = self.words.at(self.sentence.tokens, at, "page_things", self.end)
            for index in said.tokens if said else ():
                found[index] = str(said.meaning)  # type: ignore[union-attr]
            at = said.end if said else at + 1
        return found

    @cached_property
    def subject(self) -> tuple[int, ...]:
        """Words that say what it is about: no verbs of the page, no words for the page."""
        act, tokens = self.act[1], self.sentence.tokens
        return tuple(
            index for index in range(self.first, self.end)
            if self.sentence.weights[index] and index not in act
            and self.things.get(index) not in ("page", "control", "sentence")
            and not self.words.has("page_says", tokens[index])
            and self.sentence.roles[index] not in ("negators", "without")
        )  # fmt: skip

    @cached_property
    def named(self) -> tuple[int, ...]:
        """Words of a name: capital ones too that say little, and negators, which a name has to have."""
        act, tokens = self.act[1], self.sentence.tokens
        return tuple(
            index for index in range(self.lead, self.end)
            if index not in act and not tokens[index].is_sign and (
                self.sentence.weights[index] or (tokens[index].is_capital and index > self.lead)
                or self.sentence.roles[index] == "negators"
            )
            and not self.words.has("page_leads", tokens[index])
            and self.things.get(index) not in ("page", "control")
        )  # fmt: skip

    def value(self, kind: str) -> Value | None:
        """Return the first value of a kind that is not denied."""
        inside = (v for v in self.sentence.values if self.first <= v.first < self.end)
        return next((v for v in inside if v.kind == kind and not v.negated), None)

    @cached_property
    def doubts(self) -> bool:
        """Whether a negator is left that only the name of an element can account for."""
        values = self.sentence.in_value
        return any(self.sentence.roles[i] == "negators" and values[i] is None for i in self.named)

    def has_thing(self, thing: str) -> bool:
        """Whether a word for a part of a page is said."""
        return thing in self.things.values()

    @cached_property
    def of_page(self) -> bool:
        """Whether a question is about what is written here: `what does it say about …`."""
        tokens, inside = self.sentence.tokens, range(self.first, self.end)
        subject = self.has_thing("page") or any(
            self.sentence.roles[i] == "pronouns" for i in inside
        )
        says = any(self.words.has("page_says", tokens[i]) for i in inside)
        return self.asks and subject and says

    @cached_property
    def sends(self) -> bool:
        """Whether it says to send what is filled in: as an order of its own, and not denied."""
        tokens = self.sentence.tokens
        for index in range(self.first, self.end):
            said = self.words.at(tokens, index, "page_acts", self.end)
            if said is None or said.meaning != "send" or self.sentence.in_value[index] is not None:
                continue
            at = index - 1
            while at >= self.first and self.words.has("page_leads", tokens[at]):
                at -= 1
            leads = (
                at < self.first
                or self.sentence.roles[at] in ("conjunctions", "polite", "wanting")
                or tokens[at].text in _SIGNS
            )
            last = self.words.verb_last and (index + 1 >= self.end or tokens[index + 1].is_sign)
            clause = self._clause(index)
            denied = any(self.sentence.roles[i] in ("negators", "without") for i in clause)
            if (leads or last) and not denied:
                return True
        return False

    def _clause(self, index: int) -> range:
        """Return the tokens between the signs around a token."""
        tokens, first, last = self.sentence.tokens, index, index
        while first > self.first and tokens[first - 1].text not in _SIGNS:
            first -= 1
        while last < self.end and tokens[last].text not in _SIGNS:
            last += 1
        return range(first, last)


def intent_of(sentence: Sentence, first: int, end: int, snapshot: Snapshot) -> PageIntent | None:
    """Return what a part of a goal asks of a page; None if that is nothing that can be done on it."""
    part = Part(sentence, first, end)
    if part.first >= part.end:
        return None
    return _order(part, snapshot) or _reading(part, snapshot)


def _order(part: Part, snapshot: Snapshot) -> PageIntent | None:
    act, said = part.act
    alone = not (act or part.asks or part.tells) and len(part.named) == 1
    if (url := part.value("url")) and not part.doubts and (act in _TARGETED or alone):
        text = str(url.value).rstrip(".,;!?)")
        text = text if text.startswith("http") else f"https://{text}"
        return _intent(part, "open", said | frozenset(range(url.first, url.end)), text=text)
    if not act:
        return None
    if act == "scroll":
        moves = [
            part.words.at(part.sentence.tokens, i, "page_moves", part.end)
            for i in range(part.first, part.end)
        ]
        move = max(filter(None, moves), key=lambda move: len(move.tokens), default=None)
        tokens = said | (move.tokens if move else frozenset())
        return _intent(part, "scroll", tokens, text=str(move.meaning) if move else "down")
    if act == "screenshot" or (part.has_thing("screenshot") and act in ("tell", "show")):
        return _intent(part, "screenshot", said | frozenset(part.things))
    if act == "login":
        if password_field(snapshot) is not None:
            return _intent(part, "login", said | frozenset(part.things))
        return _on_target(part, "open", said, snapshot, LINKS | _OPENERS, said)
    # `I'd like to come on Thursday, please put me down` names no form, nor what to enter.
    if act == "fill" and (part.subject or not said.issuperset(part.things) or not part.first):
        fields = [element.name for element in snapshot.elements if element.role in _FIELDS]
        tokens = frozenset(range(part.first, _end_of_fields(part, fields)))
        return _intent(part, "form", tokens, sends=part.sends) if fields else None
    if act == "click":
        return _on_target(part, "click", said, snapshot, CONTROLS)
    if act in ("open", "show"):
        found = _on_target(part, "open", said, snapshot, LINKS)
        if found is None and act == "open":
            found = _on_target(part, "click", said, snapshot, _OPENERS)
        if found:
            return found
    if act == "summary":
        return _intent(part, "summary", said | frozenset(part.things), text=_sentences(part))
    if act == "search" and search_field(snapshot) is not None and part.subject:
        query = _query(part)
        return _intent(part, "search", said | frozenset(part.subject), text=query)
    return None


def _end_of_fields(part: Part, fields: Sequence[str]) -> int:
    """Return where another order begins, which is neither to send nor the name of a field."""
    sentence = part.sentence
    names = " ".join(fields).casefold()
    for index in range(part.lead + 1, part.end):
        if sentence.roles[index - 1] != "conjunctions" or sentence.in_value[index] is not None:
            continue
        said = part.words.at(sentence.tokens, index, "page_acts", part.end)
        if (
            sentence.verbs[index]
            and not (said and said.meaning == "send")
            and sentence.tokens[index].low not in names
        ):
            return index
    return part.end


def _reading(part: Part, snapshot: Snapshot) -> PageIntent | None:
    act, said = part.act
    if not (part.asks or act in ("tell", "show", "search") or (not act and _is_bare(part))):
        return None
    if (act and part.doubts) or not (snapshot.elements or snapshot.text):
        return None
    rest = [i for i in part.subject if i not in part.things]
    if not rest or part.has_thing("page"):
        for name in ("screenshot", "summary", *sorted(_READERS)):
            if part.has_thing(name) and act != "search" and (not part.asks or not rest):
                count = _sentences(part) if name == "summary" else ""
                tokens = said | frozenset(part.things) | frozenset(part.subject)
                return _intent(part, name, tokens, text=count)  # type: ignore[arg-type]
    if _asks_about(part) or (act == "tell" and not rest and set(part.things.values()) == {"page"}):
        return _intent(part, "about", frozenset(range(part.first, part.end)))
    if (authors := _authors(part)) and authors.issuperset(rest):
        return _intent(part, "author", said | frozenset(part.things) | authors)
    subject = part.subject
    if not subject or (not part.asks and act not in ("tell", "search", "show")):
        return None
    passage = passages.answer(part.sentence, part.first, part.end, subject, snapshot)
    if passage is None:
        # What is asked for and not found is said, where nothing else serves.
        return _intent(part, "read", frozenset(), noun=0.0) if part.asks else None
    return _intent(
        part, "read", said | passage.tokens | frozenset(part.things), noun=passage.coverage
    )


def _is_bare(part: Part) -> bool:
    """Whether nothing but words for the page is said: `summary of this page`."""
    return bool(part.things) and not part.tells and all(i in part.things for i in part.subject)


def _asks_about(part: Part) -> bool:
    tokens = part.sentence.tokens
    found: frozenset[int] = frozenset()
    for index in range(part.lead, part.end):
        if said := part.words.at(tokens, index, "page_about", part.end):
            found |= said.tokens
            if said.tokens and max(said.tokens) >= said.end:
                # What is between is what it is about.
                found -= frozenset(range(said.end, max(said.tokens)))
    rest = [i for i in part.subject if i not in found and i not in part.things]
    return bool(found) and not rest


def _authors(part: Part) -> frozenset[int]:
    """Return the words of a question that ask for who wrote the page."""
    asked = passages.answer_type(part.sentence, part.first, part.end)
    # `how do I publish my site` asks for nobody.
    how = part.sentence.question_at(part.lead) in ("how", "why")
    tokens = part.sentence.tokens if part.asks and not how and asked in ("", "name") else ()
    inside = range(part.lead, part.end) if tokens else ()
    return frozenset(i for i in inside if part.words.at(tokens, i, "page_authors", part.end))


def _sentences(part: Part) -> str:
    """Return how many sentences a summary is to have, in figures; empty if nobody speaks of them."""
    said = [i for i, thing in part.things.items() if thing == "sentence"]
    # `in two short sentences`
    counts = [
        value.value for value in part.sentence.values
        if value.kind == "number" and isinstance(value.value, int) and any(value.first < i < value.end + 2 for i in said)
    ]  # fmt: skip
    ones, inside = part.sentence.language.roles["ones"], range(part.first, part.end)
    one = any(part.sentence.tokens[i].key in ones for i in inside)
    count = next(iter(counts), 1 if one else 2)
    return str(max(1, min(count, _MOST_SENTENCES))) if said else ""


def _query(part: Part) -> str:
    """Return what is searched for, as it is written."""
    if quoted := part.value("quoted"):
        return str(quoted.value)
    at = [i for i in part.subject if i not in part.act[1]]
    return part.sentence.excerpt(at[0], at[-1] + 1)[:_LONGEST_NAME] if at else ""


# --- Elements -----------------------------------------------------------------------------


def _on_target(
    part: Part, name: Name, said: frozenset[int], snapshot: Snapshot, roles: frozenset[str],
    more: frozenset[int] = frozenset(),
) -> PageIntent | None:  # fmt: skip
    targets, tokens, share = targets_of(part, snapshot, roles, more)
    if not targets:
        return None
    return _intent(part, name, said | tokens | frozenset(part.things), targets=targets, noun=share)


def targets_of(
    part: Part, snapshot: Snapshot, roles: frozenset[str], more: frozenset[int] = frozenset()
) -> tuple[tuple[int, ...], frozenset[int], float]:
    """Return the elements whose name a part says, the words of it, and how much of the name they are.

    All words that were said have to be in the name. More than one element is returned where none
    fits better than the others.
    """
    sentence = part.sentence
    quoted, ordinal = part.value("quoted"), part.value("ordinal")
    usable = [e for e in snapshot.elements if e.role in roles and "disabled" not in e.states]
    if quoted is not None:
        text = _simple(str(quoted.value))
        same = [e for e in usable if _simple(e.name) == text] or [
            e for e in usable if text and text in _simple(e.name)
        ]
        return _distinct(same), frozenset(range(quoted.first, quoted.end)), 1.0
    placed = frozenset(range(ordinal.first, ordinal.end)) if ordinal else frozenset[int]()
    spoken = [sentence.tokens[i] for i in (*part.named, *more) if i not in placed]
    wanted = [_wanted(token, part.words) for token in spoken]
    if not wanted and ordinal and part.has_thing("control"):
        said = [sentence.tokens[i] for i in part.things]
        kinds = roles & frozenset[str]().union(*({token.key, *token.glosses} for token in said))
        return _nth([e for e in usable if not kinds or e.role in kinds], ordinal), placed, 1.0
    if not wanted:
        return (), frozenset(), 0.0
    found = list(_named_like(usable, wanted, sentence.language))
    best = max((share for share, _ in found), default=0.0)
    matched = [element for share, element in found if share >= best - 1e-9]
    # A name in the words that were said is meant sooner than one that only means the same.
    literal = [frozenset((token.key, token.stem)) for token in spoken]
    if same := [element for _, element in _named_like(matched, literal, sentence.language)]:
        matched = same
    else:
        best *= _BY_MEANING
    chosen = _nth([one for _, one in found], ordinal) if ordinal else _distinct(matched)
    return chosen, frozenset(part.named) | placed | more, best


def _nth(elements: Sequence[Element], ordinal: Value) -> tuple[int, ...]:
    number = ordinal.value if isinstance(ordinal.value, int) else 0
    at = number if number < 0 else number - 1
    return (elements[at].id,) if number and -len(elements) <= at < len(elements) else ()


def _wanted(token: Token, words: PageWords) -> frozenset[str]:
    """Return the stems that a word of a name may have; `Kontaktseite` is `Kontakt` too."""
    found = {token.key, token.stem, *token.glosses}
    for text in words.phrases["page_things"]:
        if len(text) > 3 and token.key.endswith(text) and len(token.key) > len(text) + 2:
            found.add(token.key[: -len(text)].rstrip("-"))
    for part in token.key.split("-") if "-" in token.key else ():
        if part not in words.phrases["page_things"]:
            found.add(part)
    return frozenset(found)


def _named_like(
    elements: Sequence[Element], wanted: Sequence[frozenset[str]], speech: Language
) -> Iterator[tuple[float, Element]]:
    starts = {stem[:3] for stems in wanted for stem in stems}
    known: dict[str, float] = {}
    for element in elements:
        name = element.name[:_LONGEST_NAME]
        if name not in known:
            low = folded(name, speech.cuts.spellings)
            known[name] = (
                _likeness(name, wanted, speech) if any(start in low for start in starts) else 0.0
            )
        if known[name]:
            yield known[name], element


def _likeness(name: str, wanted: Sequence[frozenset[str]], speech: Language) -> float:
    """Return the share of a name that was said; nothing unless all that was said is in the name."""
    best = 0.0
    for code in dict.fromkeys((speech.code, "en")):
        words = [
            {token.key, token.stem, *token.glosses}
            for token in tokens_of(name, language(code)) if not token.is_sign
        ]  # fmt: skip
        hits = [any(stems & word for word in words) for stems in wanted]
        if words and all(hits):
            named = sum(any(stems & word for stems in wanted) for word in words)
            best = max(best, named / len(words))
    return best


def _distinct(elements: Sequence[Element]) -> tuple[int, ...]:
    """Return one element for each place that is led to."""
    found: dict[tuple[str, str | None], int] = {}
    for element in elements:
        found.setdefault(
            ("", element.href) if element.href else (element.name, str(element.id)), element.id
        )
    return tuple(found.values())[:20]


def _simple(text: str) -> str:
    return " ".join(text.casefold().split())


def search_field(snapshot: Snapshot) -> Element | None:
    """Return the field in which the site is searched."""
    return _field(snapshot, "search", frozenset(("textbox", "combobox"))) or next(
        (element for element in snapshot.elements if element.role == "searchbox"), None
    )


def password_field(snapshot: Snapshot) -> Element | None:
    """Return the field for a password."""
    return _field(snapshot, "password", frozenset(("textbox",)))


def _field(snapshot: Snapshot, kind: str, roles: frozenset[str]) -> Element | None:
    names = [text for text, meaning in everywhere("page_fields").items() if meaning == kind]
    return next(
        (
            element for element in snapshot.elements
            if element.role in roles
            and (any(name in element.name[:80].lower() for name in names) or (kind == "password" and is_secret(element.name)))
        ), None,
    )  # fmt: skip


def _intent(
    part: Part, name: Name, tokens: frozenset[int], *, targets: tuple[int, ...] = (), text: str = "",
    sends: bool = False, noun: float = 1.0,
) -> PageIntent:  # fmt: skip
    """Return an intent with the score that a tool would have that explains the same words."""
    sentence = part.sentence
    weights = {i: sentence.weights[i] for i in range(part.first, part.end) if sentence.weights[i]}
    explained = sum(weight for index, weight in weights.items() if index in tokens)
    # To show or find something is what tools are for; where none does, the text of the page is read
    # or a link with a name like it is followed.
    named = noun >= (0.6 if name == "read" else 0.99)
    shown = part.act[0] in ("search", "show") and (name == "read" or not named)
    ordered = bool(part.act[1]) and not shown
    left = any(sentence.verbs[i] and i not in tokens for i in weights)
    features = {
        "call": 1.0,
        "explained": explained,
        "unexplained": sum(weights.values()) - explained,
        "verb": float(ordered),
        "conflict": float(left and not ordered and not part.asks),
        "noun": noun,
        "named": float(named),
        "asked": float(part.asks and name in ("read", "about", "author", "summary", *_READERS)),
    }
    known = fitted("ranking")
    score = sum(known.get(feature, 0.0) * value for feature, value in features.items())
    score += _OF_PAGE * part.of_page
    return PageIntent(name, score, features, tokens, targets, text, sends, part.of_page)
