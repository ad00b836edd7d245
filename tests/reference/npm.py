"""Every public name of the packages of npm, from the declarations that the compiler writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.reference.declarations import Declaration, find, module, modules, written
from tests.reference.markdown import fence

NAME = "typescript"
TITLE = "The names of the packages on npm"
FOR = (
    "For those who write JavaScript or TypeScript with [our packages](../how-to/javascript.md) or "
    "`window.webagent`: each public name with its type and what it does."
)


@dataclass
class Section:
    """A name on the page, with the types that its declaration names."""

    title: str
    text: str
    comment: str
    found: Declaration
    types: list[Declaration]


@dataclass
class Part:
    """A module on the page: what it exports, and the types that its names have besides."""

    name: str
    words: str
    exports: list[Section] = field(default_factory=list)
    again: list[Declaration] = field(default_factory=list)
    besides: list[Section] = field(default_factory=list)


def body() -> str:
    """Return the page's text: a section for each module, with one for each name."""
    found = parts()
    shown = [each for part in found for each in (*part.exports, *part.besides)]
    titles = Counter(each.title.lower() for each in shown)
    links = {
        each.found: f"[`{each.title}`](#{each.title.lower()})"
        for each in shown
        if titles[each.title.lower()] == 1
    }
    texts = []
    for part in found:
        texts += [f"## `{part.name}`", *_told(part.words)]
        if part.again:
            known = ", ".join(links[each] for each in part.again)
            texts.append(f"Described elsewhere on this page: {known}.")
        texts += [text for each in part.exports for text in _shown(each, links)]
        if part.besides:
            texts.append("The names above have types that the module does not export:")
        texts += [text for each in part.besides for text in _shown(each, links)]
    return "\n\n".join(texts) + "\n"


def parts() -> list[Part]:
    """Return all modules with their names; a name of two modules is that of the first."""
    exports = {
        name: {public: find(file, own) for public, own in module(file).exported.items()}
        for name, (_, file) in modules().items()
    }
    exported = {each for names in exports.values() for each in names.values() if each}
    seen: set[Declaration] = set()
    found = []
    for name, (source, file) in modules().items():
        part = Part(name, _first_comment(source))
        homes = {each.file: None for each in exports[name].values() if each}
        for home in {file: None} | homes:
            part.exports += [each for added in module(home).added for each in _added(added)]
        for public, each in exports[name].items():
            assert each, f"{file} exports `{public}` of another package"
            if each in seen:
                part.again.append(each)
            else:
                part.exports.append(_section(each, public))
            seen.add(each)
        ahead = [each for section in part.exports for each in section.types]
        for each in ahead:
            if each not in seen | exported:
                seen.add(each)
                part.besides.append(_section(each, each.name))
                ahead += part.besides[-1].types
        found.append(part)
    return found


def _section(found: Declaration, title: str) -> Section:
    text, types = written(found)
    return Section(title, text, found.comment, found, [each for each in types if each != found])


def _added(found: Declaration) -> Iterator[Section]:
    """Yield what a module adds to pages: variables, interfaces, and members of the browser's own."""
    if not found.text.startswith("interface") or not found.members:
        yield _section(found, f"window.{found.name}" if "var " in found.text else found.name)
        return
    for name, forms in found.members.items():
        for comment, text in forms:
            member = Declaration(found.file, name, text, comment)
            yield _section(member, f"{found.name.lower()}.{name}")


def _shown(section: Section, links: dict[Declaration, str]) -> Iterator[str]:
    yield f"### {section.title}"
    yield fence(section.text, "ts")
    yield from _told(section.comment)
    if types := [links[each] for each in section.types if each in links]:
        yield f"Types: {', '.join(types)}."


def _told(comment: str) -> Iterator[str]:
    """Yield the paragraphs of a comment, and a list of what its tags say."""
    text = re.sub(r"^\s*\* ?", "", comment.strip()[3:-2], flags=re.MULTILINE)
    words, *tags = re.split(r"^@", text.strip(), flags=re.MULTILINE)
    for paragraph in filter(None, words.split("\n\n")):
        yield " ".join(paragraph.split())
    if tags:
        yield "\n".join(map(_listed, tags))


def _listed(tag: str) -> str:
    kind, *words = tag.split()
    if kind == "param":
        return f"- `{words[0]}` – {' '.join(words[1:])}"
    return f"- {kind} – {' '.join(words)}"


def _first_comment(source: Path) -> str:
    """Return the words about a module; a file that only declares has none."""
    match = re.match(r"/\*\*.*?\*/", source.read_text("utf-8"), re.DOTALL)
    return match[0] if match and source.parent.name == "src" else ""
