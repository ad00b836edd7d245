"""What a planner knows of a tool: the words it goes by, what it does and gives, and its parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from webagent.agent.deterministic.candidates.parameters import (
    DEEPEST,
    LONGEST_TEXT,
    MOST_PARAMETERS,
    Parameter,
    meanings,
    parameters_of,
    stems_of,
    with_names,
    with_stays,
)
from webagent.agent.deterministic.candidates.verbs import verbs_of
from webagent.agent.deterministic.reading.language import Language, detect, language, verbs_in
from webagent.agent.deterministic.reading.tokens import identifier_words, owner, tokens_of
from webagent.registry.binding import Binding

_LEAST_SHARED: Final = 3
_FETCHING: Final = frozenset(("get", "fetch", "load", "retrieve"))
_OWN: Final = frozenset(
    ("my", "mine", "own", "your", "customer", "visitor", "member", "guest", "user", "owner", "signed-in",
     "mein", "meine", "mes", "mon", "mis", "mi", "ihre", "ihr", "vos", "votre", "tus", "sus")
)  # fmt: skip
"""Words of names and descriptions of what the person has."""
_PARTICLES: Final = frozenset(("on", "off", "in", "out", "up", "down", "all"))


@dataclass(frozen=True, slots=True)
class ToolWords:
    """A tool as goals are matched with it."""

    name: str
    words: Mapping[str, float]
    """Stems with how much they speak for the tool: those of its name most."""
    verbs: frozenset[str]
    """Stems of the verbs of its name; of its description, if its name has none."""
    nouns: tuple[frozenset[str], ...]
    """Stems of the other words of its name, by word."""
    noun_stems: frozenset[str]
    """The same stems together."""
    described: frozenset[str]
    """Stems of the verbs that its description begins with."""
    parameters: tuple[Parameter, ...]
    groups: tuple[tuple[str, ...], ...]
    """Paths of lists of objects."""
    outputs: tuple[str, ...]
    """Names in what it gives."""
    effect: str
    """What it is declared to do."""
    reads: bool
    """Whether it changes nothing, as it declares or its words say."""
    title: str
    description: str
    problem: str
    paths: tuple[str, ...]
    schema: Mapping[str, Any]
    output: Mapping[str, Any] | None
    particles: frozenset[str] = frozenset()
    """Short words of its name without which its verb says something else: `zoomOut`, `renewAll`."""
    is_deprecated: bool = False
    inverse: str = ""
    """The tool that undoes its calls, if the site names one."""
    is_own: bool = False
    """Whether it is about what the person has: `myOrders`, `The customer's vehicles`."""


_READING: Final = frozenset(
    ("get", "list", "search", "find", "show", "check", "view", "fetch", "read", "query", "lookup", "browse", "calculate",
     "compute", "estimate", "compare", "track", "convert", "translate", "describe", "preview", "count", "recommend",
     "suggest", "quote", "status", "look", "explain", "info", "details", "history", "display")
)  # fmt: skip

_KEEPING: Final = frozenset(("follow", "unfollow", "subscribe", "watch"))
"""What keeps somebody informed, and so changes something, whatever else the word means."""


def tools_of(bindings: Sequence[Binding]) -> list[ToolWords]:
    """Return what there is to know of the tools of a page."""
    namespace = _namespace_of(bindings)
    return [tool_words(binding, namespace) for binding in bindings]


def _namespace_of(bindings: Sequence[Binding]) -> str:
    """Return the word with which the names of most tools of a page begin: `mail-send`, `mail-mute`.

    What follows it has a verb of its own, or else it is one itself: `get_users`, `get_groups`.
    """
    english = language("en")
    names = [identifier_words(one.tool.name or one.name) for one in bindings]
    counts = Counter(words[0] for words in names if len(words) > 1)
    word, count = counts.most_common(1)[0] if counts else ("", 0)
    rests = [words[1:] for words in names if words[:1] == (word,) and len(words) > 1]
    acts = sum(any(verbs_in(meanings(w, english.code)) for w in rest) for rest in rests)
    shared = count >= _LEAST_SHARED and count * 2 >= len(names) and acts * 3 >= count * 2
    return word if shared else ""


def tool_words(binding: Binding, namespace: str = "") -> ToolWords:
    """Return what there is to know of a tool; its verb is not the word that all names share."""
    tool = binding.describe()
    schema = tool.get("input_schema") or {}
    name = binding.tool.name or binding.name
    description = str(tool.get("description") or "")[:LONGEST_TEXT]
    title = str(tool.get("title") or "")[:120]
    code = _language_of(name, description, title, schema).code
    parts = identifier_words(name)
    meant = [meanings(part, code) for part in parts]
    english = language("en")
    effect = str(tool.get("effect") or "unknown")
    first, _, rest = description.partition(". ")
    described = _described_verbs(description, code)
    verbs, nouns = _roles(parts, meant, english, described, int(parts[:1] == (namespace,)))
    # What the tool of a component is about, only the component's name says: `cancel` of `visit`.
    about = [meanings(part, code) for part in identifier_words(binding.target.component or "")]
    nouns, meant = (*nouns, *about), [*meant, *about]
    own = frozenset[str]().union(*nouns)
    # What names the tool says nothing of one of its parameters.
    parameters = tuple(
        replace(one, about=one.about - own)
        for one in with_names(
            [*with_stays([*islice(parameters_of(schema, code), MOST_PARAMETERS)])]
        )
    )
    outputs = tuple(_field_names(tool.get("output_schema"), 0))[:80]
    words: dict[str, float] = {}
    for weight, stems in (
        (0.25, frozenset[str]().union(*(meanings(one, code) for one in outputs))),
        (0.35, stems_of(rest, code)),
        (0.4, frozenset[str]().union(*(p.about for p in parameters))),
        (
            0.55,
            frozenset[str]().union(
                *(w for p in parameters for w in p.words), *(p.parents for p in parameters)
            ),
        ),
        (0.65, stems_of(first, code)),
        (0.9, stems_of(title, code)),
        (1.0, frozenset[str]().union(*meant)),
    ):
        for stem in stems:
            words[stem] = max(weight, words.get(stem, 0))
    reads = effect == "read" or (
        effect == "unknown"
        and bool((verbs or described) & {english.stem(w) for w in _READING})
        and not _KEEPING & {*parts}
        # `showTranscript` that takes `visible` sets something.
        and not any(one.is_switch for one in parameters)
    )
    return ToolWords(
        name=binding.name,
        words=words,
        # `headlines` and `inventory` show what they are named for.
        verbs=verbs or described | (verbs_of(("show",)) if reads else frozenset()),
        nouns=nouns,
        noun_stems=own,
        described=described,
        parameters=parameters,
        groups=tuple(dict.fromkeys(p.group for p in parameters if p.group)),
        outputs=outputs,
        effect=effect,
        reads=reads,
        title=title,
        description=description,
        problem=binding.problem or "",
        paths=tuple(binding.tool.behavior.paths),
        schema=schema,
        output=tool.get("output_schema"),
        particles=frozenset(parts) & _PARTICLES,
        is_deprecated=binding.tool.behavior.deprecated != "",
        inverse=binding.tool.behavior.inverse,
        is_own=not _OWN.isdisjoint((*parts, *(owner(word) for word in first.lower().split()))),
    )


def _language_of(name: str, description: str, title: str, schema: Mapping[str, Any]) -> Language:
    told = [title, description, " ".join(identifier_words(name))]
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        told += [
            str(inner.get("description") or "")
            for inner in list(properties.values())[:8]
            if isinstance(inner, Mapping)
        ]
    return detect(" ".join(told)[:600])


def _roles(
    parts: Sequence[str],
    meant: Sequence[frozenset[str]],
    english: Language,
    described: frozenset[str],
    first: int,
) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """Return the verbs of a name and its other words; a verb is not before the word `first`."""
    # `listings` and `bookings` are things.
    verbs = [
        index for index, stems in enumerate(meant)
        if index >= first and verbs_in(stems) and not parts[index].endswith("ings")
    ]  # fmt: skip
    if not verbs:
        return frozenset(), tuple(
            m for p, m in zip(parts, meant, strict=True) if p not in english.stop
        )
    # Of several the first is the verb, unless a noun begins the name: `issue-close`, `orderCancel`.
    # A participle begins a noun: `waiting_list_add`.
    at = verbs[-1] if parts[verbs[0]].endswith("ing") else verbs[0]
    plural = len(verbs) > 1 and parts[verbs[1]].endswith("s")
    reads = parts[at] in _READING
    if (
        len(verbs) > 1
        and at == first
        and not plural
        and not reads
        and _may_be_noun(meant[0])
        # `deals_list` begins with a thing.
        and (parts[at].endswith("s") or not _may_be_noun(meant[verbs[1]]))
        # `comment_on` switches nothing on.
        and parts[verbs[1]] not in _PARTICLES
    ):
        at = verbs[1]
    if named := [i for i in verbs if meant[i] & described and not parts[i].endswith("ing")]:
        # The description begins with the verb too: `note_archive`, "Archive a note".
        at = named[0]
    verb = verbs_in(meant[at]) | {english.stem(parts[at])}
    if parts[at] in _FETCHING:
        # `getCart` buys nothing, so it is not akin to `order`.
        verb = verbs_of(("show",))
    if at + 1 < len(parts) and parts[at + 1] in ("on", "off", "up", "down", "in", "out", "back"):
        joined = tokens_of(f"{parts[at]} {parts[at + 1]}", english)
        verb = verbs_in(joined[0].glosses) or verb
    others = tuple(
        m
        for i, (p, m) in enumerate(zip(parts, meant, strict=True))
        if i != at and p not in english.stop
    )
    return verb, others


def _may_be_noun(meanings: frozenset[str]) -> bool:
    return any(one.startswith("#n") for one in meanings)


def _described_verbs(description: str, code: str) -> frozenset[str]:
    """Return the verbs that a description begins with: `Books, moves or cancels a visit`."""
    found: set[str] = set()
    joined = True
    for token in tokens_of(description[:80], language(code))[:7]:
        if token.text == "," or token.key in language(code).roles["conjunctions"]:
            joined = True
        elif joined and not token.is_stop and (stems := verbs_in(meanings(token.text, code))):
            # In `Take labels off` the second word is a noun.
            found |= stems
            joined = False
        else:
            break
    return frozenset(found)


def _field_names(schema: Any, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            yield str(name)
            yield from _field_names(inner, depth + 1)
    yield from _field_names(schema.get("items"), depth + 1)
