"""The origin of each argument of a call, which the person sees before saying yes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from webagent.agent.deterministic.reading import read_values
from webagent.agent.run import Done, Run, Said, Scene

_MOST_VALUES = 200
_MOST_LOOKED_AT = 20_000
_LONGEST_READ = 5_000


def origins(arguments: Mapping[str, Any], run: Run, scene: Scene) -> dict[str, dict[str, str]]:
    """Return, by the path of each argument, `{"from": …, "of"?: …, "title"?: …}`.

    `from` is `goal`, `person` (an answer of the person), `result` (of the tool or action `of`),
    `page`, or `agent` if the value appears nowhere. `title` is that of a tool of the page's origin.
    """
    found: dict[str, dict[str, str]] = {}
    titles = {
        one.name: one.tool.title
        for one in scene.tools
        if one.tool.title and one.origin in ("", run.origin)
    }
    sources = _Sources(run, scene)
    for path, value in _leaves(arguments, ""):
        if len(found) >= _MOST_VALUES:
            break
        found[path] = source = sources.of(value)
        if title := titles.get(source.get("of", "")):
            source["title"] = title
    return found


class _Sources:
    def __init__(self, run: Run, scene: Scene) -> None:
        self._goal = run.goal.casefold()
        self._page = scene.snapshot.text.casefold()
        said = [e.text for e in run.entries if isinstance(e, Said) and e.by == "person"]
        past = (call for one in scene.earlier for call in one.calls)
        self._results = [(call.tool, _values(call.value)) for call in past]
        for done in run.done():
            if done.call.name == "communicate":
                said += [_text(value) for _, value in _leaves(done.value, "")]
            else:
                self._results.append((_source(done), _values(done.value)))
        self._said = "\n".join(said).casefold()
        self._goal_means = _meant(run.goal, scene.now)
        self._said_means = _meant("\n".join(said), scene.now)

    def of(self, value: Any) -> dict[str, str]:
        """Return where a value came from; the person's own words count first."""
        text = _text(value)
        if not text:
            return {"from": "agent"}
        if _contains(self._goal, text) or text in self._goal_means:
            return {"from": "goal"}
        if _contains(self._said, text) or text in self._said_means:
            return {"from": "person"}
        for name, values in reversed(self._results):
            if text in values:
                return {"from": "result", "of": name}
        return {"from": "page"} if _contains(self._page, text) else {"from": "agent"}


def _meant(text: str, now: datetime) -> frozenset[str]:
    """Return the values that words mean: `2027-05-01` for `1 May 2027`, `2` for `two`."""
    found: set[str] = set()
    for value in read_values(text[:_LONGEST_READ], now):
        for meant in (value.value, *value.readings):
            both = meant if isinstance(meant, tuple) else (meant,)
            found.update(_text(one) for one in both)
    return frozenset(found)


def _source(done: Done) -> str:
    return str(done.call.arguments.get("name") or "") or done.call.name


def _values(data: Any) -> frozenset[str]:
    found: set[str] = set()
    for number, (_, value) in enumerate(_leaves(data, "")):
        if number >= _MOST_LOOKED_AT:
            break
        found.add(_text(value))
    return frozenset(found)


def _text(value: Any) -> str:
    """Return a value in the form of the search. Booleans and null could come from anywhere."""
    if value is None or isinstance(value, bool):
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return " ".join(text.casefold().split())


def _contains(where: str, text: str) -> bool:
    """Whether a text contains another one as whole words."""
    start = where.find(text)
    while start >= 0:
        end = start + len(text)
        before, after = where[start - 1 : start], where[end : end + 1]
        if not (
            (before.isalnum() and text[0].isalnum()) or (after.isalnum() and text[-1].isalnum())
        ):
            return True
        start = where.find(text, start + 1)
    return False


def _leaves(data: Any, path: str) -> Iterator[tuple[str, Any]]:
    left = [(path, data)]
    while left:
        place, inner = left.pop()
        if isinstance(inner, Mapping):
            items = [(f"{place}.{key}" if place else str(key), v) for key, v in inner.items()]
            left.extend(reversed(items))
        elif isinstance(inner, list | tuple):
            left.extend(reversed([(f"{place}[{n}]", v) for n, v in enumerate(inner)]))
        else:
            yield place, inner
