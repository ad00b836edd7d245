"""Reads the declarations that the compiler writes of the packages of npm."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

NPM = Path(__file__).parents[2] / "npm"

_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|[{}()\[\];]', re.DOTALL)
_BLOCK = re.compile(r"(?:export |declare )*(?:interface|class|global|module)\b")
_DECLARED = re.compile(
    r"(?P<export>export )?(?:declare )?(?:interface|class|type|const|var|function) (?P<name>\w+)"
)
_GROUP = re.compile(r'(import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;')
_SPACE = re.compile(r'import type \* as (\w+) from "([^"]+)";')
_MEMBER = re.compile(r'(?:static |readonly |get )*"?([\w-]+)')
_PICK = re.compile(r'Pick<(\w+), ((?:"\w+"(?: \| )?)+|\w+)>')


@dataclass(frozen=True)
class Declaration:
    """A declaration with the comment before it.

    Attributes:
        file: Where it is.
        name: What it declares.
        text: The declaration.
        comment: The comment; empty without one.
    """

    file: Path
    name: str
    text: str
    comment: str

    @property
    def members(self) -> dict[str, list[tuple[str, str]]]:
        """Return the public members of a class or an interface; each form with its comment."""
        found: dict[str, list[tuple[str, str]]] = {}
        for comment, text in statements(_inside(self.text)):
            match = _MEMBER.match(text)
            if match and match[1] != "private":
                told = re.sub(r"^get (\w+)\(\)", r"readonly \1", text)
                found.setdefault(match[1], []).append((comment, told))
        return found


@dataclass
class Module:
    """The names of a file: those it declares, imports and exports, and adds to pages."""

    declared: dict[str, Declaration] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)
    added: list[Declaration] = field(default_factory=list)


def statements(text: str) -> Iterator[tuple[str, str]]:
    """Yield each statement, or each member of a body, with the comment before it."""
    start, depth, comment = 0, 0, ""
    for token in _TOKEN.finditer(text):
        if token[0].startswith("/"):
            if not text[start : token.start()].strip():
                start, comment = token.end(), token[0]
            continue
        depth += (token[0] in "{([") - (token[0] in "})]")
        said = text[start : token.end()].strip()
        if depth == 0 and (token[0] == ";" or (token[0] == "}" and _BLOCK.match(said))):
            yield comment, said
            start, comment = token.end(), ""


@cache
def module(file: Path) -> Module:
    """Read a file of declarations."""
    found = Module()
    for comment, text in statements(file.read_text("utf-8")):
        if text.startswith("declare global"):
            for words, each in statements(_inside(text)):
                match = _DECLARED.match(each)
                assert match, each
                found.added.append(Declaration(file, match["name"], each, words))
        elif match := re.match(r'declare module "([^"]+)"', text):
            found.added.append(Declaration(file, match[1], f'import "{match[1]}";', comment))
        elif match := _GROUP.fullmatch(text):
            for name in filter(None, map(str.strip, match[2].split(","))):
                before, _, after = name.removeprefix("type ").partition(" as ")
                if match[3]:
                    found.imported[after or before] = (match[3], before)
                if match[1] == "export":
                    found.exported[after or before] = before
        elif match := _SPACE.fullmatch(text):
            found.imported[match[1]] = (match[2], "*")
        elif match := _DECLARED.match(text):
            name = match["name"]
            found.declared[name] = Declaration(file, name, text, comment)
            if match["export"]:
                found.exported[name] = name
    return found


@cache
def modules() -> dict[str, tuple[Path, Path]]:
    """Return the source and the declarations of each module that a package exports."""
    found = {}
    for name in json.loads((NPM / "package.json").read_text("utf-8"))["workspaces"]:
        exports = json.loads((NPM / name / "package.json").read_text("utf-8"))["exports"]
        for path, target in ({".": exports} if isinstance(exports, str) else exports).items():
            if "*" in path:
                continue
            file = target["types"] if isinstance(target, dict) else target.replace(".js", ".d.ts")
            # A file of declarations alone is its own source.
            source = re.sub(r"^\./dist/(.+)\.d\.ts$", r"src/\1.ts", file)
            declared = NPM / name / file
            assert declared.exists(), f"{declared} is missing: run `make npm`"
            found[name + path[1:]] = (NPM / name / source, declared)
    return found


def find(file: Path, name: str) -> Declaration | None:
    """Return what a name in a file is; nothing for what is not ours."""
    here = module(file)
    if name in here.declared:
        return here.declared[name]
    space, _, inner = name.rpartition(".")
    specifier, original = here.imported.get(space or name, ("", ""))
    if specifier.startswith("."):
        target = (file.parent / specifier.replace(".js", ".d.ts")).resolve()
    elif specifier in modules():
        target = modules()[specifier][1]
    else:
        return None
    return find(target, inner if space else original)


def written(found: Declaration) -> tuple[str, list[Declaration]]:
    """Return a declaration as readers see it, with what it picks, and what of ours it names."""
    files = [found.file]
    text = re.sub(r'import\("[^"]+"\)\.|^export |\bdeclare ', "", found.text)
    if pick := _PICK.search(text):
        whole, chosen = find(found.file, pick[1]), find(found.file, pick[2])
        assert whole
        files.append(whole.file)
        names = re.findall(r'"(\w+)"', chosen.text if chosen else pick[2])
        members = {name: whole.members[name] for name in names}
        if text.startswith("interface"):
            head = text[: text.index("{")].replace(f"{pick[0]}, ", "")
            text = head + _braces(members | found.members)
        else:
            text = text.replace(pick[0], _braces(members))
    elif text.startswith("class"):
        text = text[: text.index("{")] + _braces(found.members)
    named = _named(text, files)
    for space, (_, original) in module(files[-1]).imported.items():
        text = text.replace(f" {space}.", " ") if original == "*" else text
    text = re.sub(r"\{\s+\}", "{}", text)
    return re.sub(r"^(?: {4})+", lambda match: match[0][::2], text, flags=re.MULTILINE), named


def _inside(text: str) -> str:
    return text[text.index("{") + 1 : text.rindex("}")]


def _braces(members: dict[str, list[tuple[str, str]]]) -> str:
    lines = [line for forms in members.values() for form in forms for line in form if line]
    return "{\n" + "".join(f"    {line}\n" for line in lines) + "}"


def _named(text: str, files: list[Path]) -> list[Declaration]:
    """Return the declarations of ours that a text names, in order."""
    code = re.sub(r'/\*.*?\*/|"[^"\n]*"', "", text, flags=re.DOTALL)
    found = {
        aim: None
        for name in re.findall(r"\b(?:[A-Z]\w*\.)?[A-Z]\w*", code)
        for aim in [next(filter(None, (find(file, name) for file in files)), None)]
        if aim
    }
    return [*found]
