"""Measure the house: imports as a graph, and what it says of each package.

    python scripts/house.py                          the figures of the working tree
    python scripts/house.py --at v1.2                the figures of a revision
    python scripts/house.py --since v1.2             before and after, side by side
    python scripts/house.py --list core/webagent     what the figures count, by name
    python scripts/house.py --drawing mermaid core/webagent
    python scripts/house.py --check                  exits with 1 when a limit is broken

A room is a file or a folder directly below a package, or below one of its folders. An arrow
goes from the room that imports to the room that is imported. A room is one floor above the
highest room that it imports. Rooms that import each other make a circle: it is opened where
the fewest arrows turn, and those arrows run up.

Imports inside functions count. Imports for types alone (`if TYPE_CHECKING`, `import type`)
count only in the figures that say "with types".
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import posixpath
import random
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import resolve_name
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent

SMALL_LINES = 60
"""A module with fewer lines and a single importer is better off in that importer."""

STARTS = 100
"""How many random orders the search for the fewest arrows up starts from."""

PARTS = (("core/webagent/agent", ""), ("core/webagent/agent", "deterministic"))
"""Folders that are measured like packages, the second without one of its folders."""

LIMITS: dict[str, dict[str, float]] = {
    "every Python package": {
        "arrows up": 0,
        "circles of modules": 0,
        "circles of rooms": 0,
        "shared base names (%)": 10,
    },
    "every package of npm": {
        "circles of modules with types": 0,
        "arrows up with types": 0,
        "shared base names": 0,
    },
    "siteserver/webagent_site": {"floors": 6, "files at the top": 6},
    "devserver/webagent_dev": {"floors": 10, "files at the top": 6},
    "core/webagent/agent without deterministic": {"files": 34},
    "browser_bundle/src": {
        "modules": 204,
        "circles of modules with types": 0,
        "circles of rooms with types": 0,
        "arrows up with types": 0,
        "arrows up between folders with types": 0,
        "shared base names (%)": 10,
        "shared base names but index": 0,
    },
    "all packages": {"small with one importer": 10},
}
"""The most that a figure may be, by package; `--check` compares."""

Arrow = tuple[str, str]
Arrows = set[Arrow]


# --- The files ---------------------------------------------------------------------------


@dataclass
class Module:
    """A source file: its lines, and the paths of the files that it imports."""

    lines: int
    values: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    """Imports for types alone, that no line of `values` repeats."""


Modules = dict[str, Module]
"""By path from the root of the repository, with `/`."""

Figures = dict[str, float]


def read_house(root: Path) -> tuple[list[str], Modules]:
    """Return the packages below a root, and all their modules."""
    inits = root.glob("*/*/__init__.py")
    packages = sorted(i.parent for i in inits if (i.parents[1] / "pyproject.toml").is_file())
    configs = [*root.glob("*/tsconfig.json"), *root.glob("npm/*/tsconfig.json")]
    scripts = sorted(config.parent / "src" for config in configs)
    files = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for folder, kind in (*((p, "*.py") for p in packages), *((s, "*.ts") for s in scripts))
        for path in sorted(folder.rglob(kind))
    }
    dotted = {_dotted(path): path for path in files if path.endswith(".py")}
    modules: Modules = {}
    for path, text in files.items():
        python = path.endswith(".py")
        found = python_imports(path, text, dotted) if python else script_imports(path, text, files)
        module = modules[path] = Module(lines=len(text.splitlines()))
        for target, for_types in found:
            if target != path:
                (module.types if for_types else module.values).add(target)
        module.types -= module.values
    return [folder.relative_to(root).as_posix() for folder in (*packages, *scripts)], modules


def _dotted(path: str) -> str:
    """Return the name that a file is imported by; its project's folder is not part of it."""
    inside = path.removesuffix(".py").removesuffix("/__init__")
    return inside.partition("/")[2].replace("/", ".")


def python_imports(path: str, text: str, dotted: dict[str, str]) -> Iterator[tuple[str, bool]]:
    """Yield each file that a Python file imports, and whether for types alone.

    Args:
        path: Of the file.
        text: Its source.
        dotted: The paths of all files by the name that they are imported by.
    """
    package = _dotted(path if path.endswith("__init__.py") else str(PurePosixPath(path).parent))
    for node, for_types in _import_statements(ast.parse(text), for_types=False):
        base = ""
        if isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) + "."
        for alias in node.names:
            target = dotted.get(base + alias.name) or dotted.get(base[:-1])
            if target:
                yield target, for_types


def _import_statements(
    node: ast.AST, *, for_types: bool
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, for_types
    for name, children in ast.iter_fields(node):
        if isinstance(children, list):
            guarded = isinstance(node, ast.If) and name == "body" and _is_for_types(node.test)
            for child in children:
                # Expressions hold no imports, and are most of a tree.
                if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                    yield from _import_statements(child, for_types=for_types or guarded)


def _is_for_types(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*[\s\S]*?\*/)", re.MULTILINE)
# Statements begin in the first column, so that no text in a string is taken for one.
_STATEMENT = re.compile(
    r"""^(?:import|export)\s+(?P<type>type\b)?\s*
        (?P<names>[\w$*][^;{}"']*,\s*\{[^}]*\}|\{[^}]*\}|[\w$*][^;{}"'=()]*?)\s*
        from\s*["'](?P<from>\.[^"']*)["']
        |^import\s*["'](?P<effect>\.[^"']*)["']""",
    re.MULTILINE | re.VERBOSE,
)
_CALL = re.compile(r"""(?P<type>typeof\s+)?\bimport\(\s*["'](?P<from>\.[^"']*)["']\s*\)""")


def script_imports(path: str, text: str, paths: Container[str]) -> Iterator[tuple[str, bool]]:
    """Yield each file that a TypeScript file imports or passes on, and whether for types alone.

    Args:
        path: Of the file.
        text: Its source.
        paths: Those of all files.
    """
    code = _COMMENT.sub("", text)
    for match in (*_STATEMENT.finditer(code), *_CALL.finditer(code)):
        found = match.groupdict()
        names = re.findall(r"(type\s+)?[\w$*]+(?:\s+as\s+[\w$]+)?", found.get("names") or "")
        wanted = posixpath.join(posixpath.dirname(path), found["from"] or found["effect"])
        file = posixpath.normpath(wanted)
        for target in (file, f"{file}.ts", f"{file}/index.ts", re.sub(r"\.js$", ".ts", file)):
            if target in paths:
                yield target, bool(found["type"] or (names and all(names)))
                break


# --- The graph ---------------------------------------------------------------------------


def reached(nodes: Iterable[str], arrows: Arrows) -> dict[str, set[str]]:
    """Return for each node the nodes that the arrows lead to from there."""
    following: defaultdict[str, list[str]] = defaultdict(list)
    for start, end in arrows:
        following[start].append(end)
    answer = {}
    for node in nodes:
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            for end in following[waiting.pop()]:
                if end not in seen:
                    seen.add(end)
                    waiting.append(end)
        answer[node] = seen
    return answer


def circles(nodes: Iterable[str], arrows: Arrows) -> list[list[str]]:
    """Return the groups of nodes that all lead to each other."""
    ends = reached(nodes, arrows)
    found = {
        tuple(sorted(other for other in ends[node] if node in ends[other]))
        for node in ends
        if node in ends[node]
    }
    return [list(circle) for circle in sorted(found)]


def arrows_up(nodes: Iterable[str], arrows: Counter[Arrow]) -> Arrows:
    """Return the fewest arrows that must turn for all others to run down.

    The search finds the fewest in circles of a few dozen rooms, but does not prove it. Of two
    answers with as many arrows it takes the one with fewer imports behind them.
    """
    one = 1 + arrows.total()
    dice = random.Random(0)
    up: Arrows = set()
    for circle in circles(nodes, set(arrows)):
        weight = {arrow: one + n for arrow, n in arrows.items() if set(arrow) <= set(circle)}
        starts = (dice.sample(circle, len(circle)) for _ in range(STARTS))
        turned = (_against(_improved(order, weight), weight) for order in starts)
        up |= set(min(turned, key=lambda found: (sum(weight[arrow] for arrow in found), found)))
    return up


def _against(order: list[str], weight: dict[Arrow, int]) -> list[Arrow]:
    at = {node: i for i, node in enumerate(order)}
    return sorted((start, end) for start, end in weight if at[start] > at[end])


def _improved(order: list[str], weight: dict[Arrow, int]) -> list[str]:
    """Move each room to its best place, until none has a better one."""
    better = True
    while better:
        better = False
        for node in tuple(order):
            at = order.index(node)
            rest = order[:at] + order[at + 1 :]
            costs = [sum(weight.get((other, node), 0) for other in rest)]
            for other in rest:
                turned = weight.get((node, other), 0) - weight.get((other, node), 0)
                costs.append(costs[-1] + turned)
            best = min(range(len(costs)), key=costs.__getitem__)
            if costs[best] < costs[at]:
                order = [*rest[:best], node, *rest[best:]]
                better = True
    return order


def floors(nodes: Iterable[str], arrows: Arrows) -> dict[str, int]:
    """Return the floor of each node, 1 at the bottom; the arrows must not make a circle."""
    ends = reached(nodes, arrows)
    answer: dict[str, int] = {}
    for node in sorted(ends, key=lambda node: (len(ends[node]), node)):
        answer[node] = 1 + max((answer[end] for start, end in arrows if start == node), default=0)
    return answer


# --- The figures -------------------------------------------------------------------------


class Rooms:
    """Files grouped into rooms, and the arrows between these."""

    def __init__(self, paths: Iterable[str], imports: Arrows, room: Callable[[str], str]) -> None:
        self.names = sorted({room(path) for path in paths})
        between = ((room(start), room(end)) for start, end in imports)
        self.arrows = Counter(arrow for arrow in between if arrow[0] != arrow[1])
        """Each with the number of imports behind it."""
        self.up = arrows_up(self.names, self.arrows)

    def floors(self) -> dict[str, int]:
        """Return the floor of each room; arrows that run up do not count."""
        return floors(self.names, set(self.arrows) - self.up)

    def circles(self) -> list[list[str]]:
        """Return the circles that a folder is part of; those of files are circles of modules."""
        found = circles(self.names, set(self.arrows))
        return [circle for circle in found if any("." not in name for name in circle)]


class Part:
    """A package, or a folder that is measured like one."""

    def __init__(self, house: House, folder: str, without: str = "") -> None:
        self.folder = folder
        self.title = folder + (f" without {without}" if without else "")
        left_out = f"{folder}/{without}/" if without else None
        self.files = {
            path: module
            for path, module in house.modules.items()
            if path.startswith(f"{folder}/") and not (left_out and path.startswith(left_out))
        }
        self.modules = {path: m for path, m in self.files.items() if base_name(path) != "__init__"}
        self.importers = {path: house.importers[path] for path in self.modules}
        self.imports: dict[bool, Arrows] = {False: set(), True: set()}
        """Between the files of this part, without and with those for types alone."""
        for path, module in self.files.items():
            values = {(path, to) for to in module.values if to in self.files}
            types = {(path, to) for to in module.types if to in self.files}
            self.imports[False] |= values
            self.imports[True] |= values | types

    def rooms(self, *, types: bool = False) -> list[Rooms]:
        """Return the rooms at the top, then those inside each folder."""
        above = {f"{folder}/" for path in self.files for folder in PurePosixPath(path).parents}
        every = sorted(folder for folder in above if folder.startswith(f"{self.folder}/"))
        return [self._rooms_in(folder, types=types) for folder in every]

    def _rooms_in(self, folder: str, *, types: bool) -> Rooms:
        def room(path: str) -> str:
            end = path.find("/", len(folder))
            return path[len(self.folder) + 1 : end if end > 0 else None]

        paths = {path for path in self.files if path.startswith(folder)}
        imports = {arrow for arrow in self.imports[types] if paths.issuperset(arrow)}
        return Rooms(paths, imports, room)

    def folders(self, *, types: bool) -> Rooms:
        """Return every folder as a room that holds its own files, not those of its folders."""

        def room(path: str) -> str:
            inside = path[len(self.folder) + 1 :]
            return inside.rpartition("/")[0] or inside

        return Rooms(self.files, self.imports[types], room)

    def shared_names(self) -> dict[str, list[str]]:
        """Return the base names of more than one module; each folder has its `__init__`."""
        named: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.modules:
            named[base_name(path)].append(path)
        return {name: paths for name, paths in sorted(named.items()) if len(paths) > 1}

    def small_with_one_importer(self) -> list[str]:
        """Return the small modules that one module of the whole house imports."""
        return [
            path
            for path, importers in self.importers.items()
            if len(importers) == 1 and self.files[path].lines < SMALL_LINES
        ]

    def figures(self) -> Figures:
        """Return every figure by its name."""
        lines = [module.lines for module in self.modules.values()]
        shared = self.shared_names()
        sharing = sum(map(len, shared.values()))
        answer: Figures = {
            "files": len(self.files),
            "modules": len(self.modules),
            "lines": sum(module.lines for module in self.files.values()),
            "median lines": statistics.median_high(lines),
            "most lines": max(lines),
            "files at the top": sum("/" not in path[len(self.folder) + 1 :] for path in self.files),
        }
        for types, suffix in ((False, ""), (True, " with types")):
            rooms = self.rooms(types=types)
            answer["rooms"] = len(rooms[0].names)
            answer |= {
                f"floors{suffix}": max(rooms[0].floors().values()),
                f"arrows up{suffix}": len(rooms[0].up),
                f"imports up{suffix}": sum(rooms[0].arrows[arrow] for arrow in rooms[0].up),
                f"arrows up between folders{suffix}": len(self.folders(types=types).up),
                f"circles of modules{suffix}": len(circles(self.files, self.imports[types])),
                f"circles of rooms{suffix}": sum(len(each.circles()) for each in rooms),
            }
        return answer | {
            "shared base names": sharing,
            "shared base names but index": sharing - len(shared.get("index", ())),
            "shared base names (%)": round(100 * sharing / len(self.modules), 1),
            "one importer": sum(len(importers) == 1 for importers in self.importers.values()),
            "small with one importer": len(self.small_with_one_importer()),
        }


def base_name(path: str) -> str:
    """Return the name of a file without its folder and ending."""
    return PurePosixPath(path).name.split(".")[0]


class House:
    """All packages below a root, and the tests."""

    def __init__(self, root: Path) -> None:
        self.packages, self.modules = read_house(root)
        self.importers: defaultdict[str, set[str]] = defaultdict(set)
        for path, module in self.modules.items():
            for to in module.values | module.types:
                self.importers[to].add(path)
        self.tests = test_lines(root)
        self.parts = [
            Part(self, folder, without)
            for package in self.packages
            for folder, without in ((package, ""), *PARTS)
            if folder == package or folder.startswith(f"{package}/")
        ]


def test_lines(root: Path) -> dict[str, int]:
    """Return the lines of tests by folder; a folder of tests is named `test` or `tests`."""
    answer: Counter[str] = Counter()
    for tests in (root / "tests", *sorted(root.glob("*/test"))):
        for path in tests.rglob("*"):
            if path.suffix in (".py", ".ts", ".js", ".mjs") and "node_modules" not in path.parts:
                inside = path.relative_to(tests).parts[:-1]
                folder = "/".join([tests.relative_to(root).as_posix(), *inside[:1]])
                answer[folder] += len(path.read_text(encoding="utf-8").splitlines())
    return dict(sorted(answer.items()))


# --- What is printed ---------------------------------------------------------------------


def table(after: House, before: House | None) -> str:
    """Return the figures as Markdown: packages as columns, then the lines of tests."""
    columns = {part.title: part.figures() for part in after.parts}
    old = {part.title: part.figures() for part in before.parts} if before else columns
    titles = [*columns, *(title for title in old if title not in columns)]
    rows = [["", *titles], ["---", *["--:"] * len(titles)]]
    for name in next(iter(columns.values())):
        cells = [_change(old.get(t, {}).get(name), columns.get(t, {}).get(name)) for t in titles]
        rows.append([name, *cells])
    rows += [[], ["tests", "lines"], ["---", "--:"]]
    tests = before.tests if before else after.tests
    for folder in sorted({*tests, *after.tests}):
        rows.append([folder, _change(tests.get(folder), after.tests.get(folder))])
    rows.append(["all", _change(sum(tests.values()), sum(after.tests.values()))])
    return "\n".join(f"| {' | '.join(row)} |" if row else "" for row in rows)


def _change(before: float | None, after: float | None) -> str:
    texts = ["–" if figure is None else f"{figure:,}" for figure in (before, after)]
    return texts[0] if before == after else " → ".join(texts)


def names_behind(part: Part) -> str:
    """Return what the figures of a part count, by name."""
    lines = []
    for types, suffix in ((False, ""), (True, " with types")):
        every = [*part.rooms(types=types), part.folders(types=types)]
        up = {(*arrow, rooms.arrows[arrow]) for rooms in every for arrow in rooms.up}
        lines.append(f"## Arrows up{suffix}, and the imports behind each")
        lines += [f"{start} -> {end}: {imports}" for start, end, imports in sorted(up)]
        lines.append(f"## Circles{suffix}")
        lines += map(" ".join, circles(part.files, part.imports[types]))
        lines += sorted({" ".join(circle) for rooms in every for circle in rooms.circles()})
    lines.append("## Shared base names")
    lines += [f"{name}: {' '.join(paths)}" for name, paths in part.shared_names().items()]
    lines.append(f"## One importer and under {SMALL_LINES} lines")
    for path in part.small_with_one_importer():
        lines.append(f"{path} ({part.files[path].lines}) <- {', '.join(part.importers[path])}")
    return "\n".join(lines)


def broken_limits(house: House) -> list[str]:
    """Return a line for each figure that is above its limit."""
    total: Counter[str] = Counter()
    measured: list[tuple[str, Mapping[str, float], dict[str, float]]] = []
    for part in house.parts:
        python = any(path.endswith(".py") for path in part.files)
        limits = LIMITS["every Python package"] if python else {}
        if part.title.startswith("npm/"):
            limits = LIMITS["every package of npm"]
        measured.append((part.title, part.figures(), limits | LIMITS.get(part.title, {})))
        if part.title in house.packages:
            total.update(measured[-1][1])
    measured.append(("all packages", total, LIMITS["all packages"]))
    return [
        f"{title}: {name} {figures[name]:g}, at most {most:g}"
        for title, figures, limits in measured
        for name, most in limits.items()
        if figures[name] > most
    ]


def drawing(part: Part, language: str) -> str:
    """Return the rooms of a part by floor, as Mermaid or for Graphviz.

    An arrow is left out where a longer way down leads to the same room. Arrows that run up
    are dotted. `__init__` is left out: it imports what the package offers.
    """
    rooms = part.rooms()[0]
    label = {n: n if "." in n else f"{n}/" for n in rooms.names if base_name(n) != "__init__"}
    by_floor: defaultdict[int, list[str]] = defaultdict(list)
    for name, floor in rooms.floors().items():
        if name in label:
            by_floor[floor].append(label[name])
    shown = {arrow for arrow in rooms.arrows if label.keys() >= set(arrow)}
    down = {(label[start], label[end]) for start, end in shown - rooms.up}
    up = {(label[start], label[end]) for start, end in shown & rooms.up}
    ends = reached(label.values(), down)
    longer = {(a, end) for a, by in down for end in ends[by]}
    lines = _mermaid if language == "mermaid" else _dot
    return "\n".join(lines(by_floor, sorted(down - longer), sorted(up)))


def _mermaid(by_floor: dict[int, list[str]], down: list[Arrow], up: list[Arrow]) -> Iterator[str]:
    def key(room: str) -> str:
        return "r_" + re.sub(r"\W", "_", room)

    yield "flowchart TD"
    for floor, rooms in sorted(by_floor.items(), reverse=True):
        yield f'  subgraph floor{floor}["{floor}"]'
        yield from (f'    {key(room)}["{room}"]' for room in rooms)
        yield "  end"
    yield from (f"  {key(start)} --> {key(end)}" for start, end in down)
    yield from (f"  {key(start)} -. up .-> {key(end)}" for start, end in up)


def _dot(by_floor: dict[int, list[str]], down: list[Arrow], up: list[Arrow]) -> Iterator[str]:
    yield "digraph house {\n  node [shape=box];"
    for _, rooms in sorted(by_floor.items(), reverse=True):
        yield "  { rank=same; " + "; ".join(map(json.dumps, rooms)) + "; }"
    yield from (f'  "{start}" -> "{end}";' for start, end in down)
    yield from (f'  "{start}" -> "{end}" [style=dotted, constraint=false];' for start, end in up)
    yield "}"


# --- The command -------------------------------------------------------------------------


@contextmanager
def tree_at(revision: str | None) -> Iterator[Path]:
    """Give the root of the working tree, or of a copy of a revision."""
    if revision is None:
        yield ROOT
        return
    archive = subprocess.run(
        ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
    )
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def house_at(revision: str | None) -> House:
    """Read the house of a revision, or of the working tree."""
    with tree_at(revision) as root:
        return House(root)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python scripts/house.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--at", metavar="REV", help="measure this revision")
    parser.add_argument("--since", metavar="REV", help="show the figures of this revision, too")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--list", metavar="PACKAGE", help="print what the figures count")
    parser.add_argument("--drawing", choices=("mermaid", "dot"), help="draw one package")
    parser.add_argument("package", nargs="?", metavar="PACKAGE", help="to draw")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a limit is broken")
    given = parser.parse_args(arguments)
    house = house_at(given.at)
    wanted = given.package if given.drawing else given.list
    part = next((part for part in house.parts if part.title == wanted), None)
    if (given.drawing or given.list) and part is None:
        titles = ", ".join(f"`{part.title}`" for part in house.parts)
        parser.error(f"`{wanted}` is not a package: write one of {titles}")
    if given.check:
        broken = broken_limits(house)
        print("\n".join(broken) or "house: within all limits")
        return 1 if broken else 0
    if part and given.drawing:
        print(drawing(part, given.drawing))
    elif part:
        print(names_behind(part))
    elif given.json:
        figures = {part.title: part.figures() for part in house.parts}
        print(json.dumps({"packages": figures, "tests": house.tests}, indent=2))
    else:
        print(table(house, house_at(given.since) if given.since else None))
    return 0


if __name__ == "__main__":
    sys.exit(main())
