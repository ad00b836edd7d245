"""The measures of the house count what the imports of a tree say."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from house import (
    LIMITS,
    ROOT,
    House,
    Part,
    arrows_up,
    broken_limits,
    circles,
    drawing,
    floors,
    main,
    names_behind,
    table,
)


def write(root: Path, files: dict[str, str]) -> House:
    """Write a tree with one Python package, `core/shop`, and read it."""
    package = {"core/pyproject.toml": "", "core/shop/__init__.py": ""}
    for name, text in {**package, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return House(root)


def part_of(root: Path, files: dict[str, str]) -> Part:
    """Write a tree, and return its first package."""
    return write(root, files).parts[0]


def imports_of(house: House, path: str) -> tuple[set[str], set[str]]:
    """Return what a module imports by value and for types alone."""
    module = house.modules[path]
    return module.values, module.types


# --- Reading -----------------------------------------------------------------------------


def test_python_imports_of_every_form(tmp_path: Path) -> None:
    """Each form of an import leads to the file that it names."""
    house = write(
        tmp_path,
        {
            "core/shop/a.py": (
                "import shop.b\nfrom shop import c\nfrom shop.rooms import hall\n"
                "from shop.rooms.hall import door\nfrom . import d\nfrom .rooms import name\n"
                "import json\nfrom other import e\n"
            ),
            **{f"core/shop/{name}.py": "" for name in "bcde"},
            "core/shop/rooms/__init__.py": "name = 1",
            "core/shop/rooms/hall.py": "door = 1",
        },
    )
    values, types = imports_of(house, "core/shop/a.py")
    assert values == {
        "core/shop/b.py",
        "core/shop/c.py",
        "core/shop/d.py",
        "core/shop/rooms/__init__.py",
        "core/shop/rooms/hall.py",
    }
    assert types == set()


def test_python_imports_in_functions_count_and_those_for_types_are_apart(tmp_path: Path) -> None:
    """`if TYPE_CHECKING` is for types, its `else` and every other block is not."""
    house = write(
        tmp_path,
        {
            "core/shop/a.py": (
                "import typing\nfrom typing import TYPE_CHECKING\n"
                "if TYPE_CHECKING:\n    from shop import b\nelse:\n    from shop import c\n"
                "if typing.TYPE_CHECKING:\n    from shop import d\n"
                "def late():\n    try:\n        from shop import e\n"
                "    except ImportError:\n        from shop import f\n"
                "    match 1:\n        case 1:\n            from shop import g\n"
            ),
            **{f"core/shop/{name}.py": "" for name in "bcdefg"},
        },
    )
    values, types = imports_of(house, "core/shop/a.py")
    assert values == {f"core/shop/{name}.py" for name in "cefg"}
    assert types == {f"core/shop/{name}.py" for name in "bd"}


def test_an_import_by_value_outweighs_one_for_types(tmp_path: Path) -> None:
    """A module that is imported both ways is imported by value."""
    text = "if TYPE_CHECKING:\n    from shop.b import B\ndef f():\n    from shop.b import b\n"
    house = write(tmp_path, {"core/shop/a.py": text, "core/shop/b.py": ""})
    assert imports_of(house, "core/shop/a.py") == ({"core/shop/b.py"}, set())


def test_typescript_imports_of_every_form(tmp_path: Path) -> None:
    """Imports, exports from, effects and lazy imports count; comments and packages do not."""
    lines = [
        'import { a } from "./a.ts";',
        'import type { B } from "./b.ts";',
        'import { type C, type D } from "./c.ts";',
        'import { type E, d } from "./d.ts";',
        "import {",
        "  e,",
        "  f as g,",
        '} from "../src/e";',
        'import * as f from "./f/index.ts";',
        'import whole, { part } from "./g.js";',
        'export * from "./h.ts";',
        'export type { I } from "./i.ts";',
        'import "./j.ts";',
        'const later = () => import("./f");',
        'type K = typeof import("./k.ts");',
        '// import { x } from "./x.ts";',
        '/* import("./x.ts") */',
        ' * import { x } from "./x.ts";',
        'import { readFile } from "node:fs";',
        "export {};",
        "export const text = `",
        '  import { x } from "./x.ts";`;',
    ]
    files = {f"page/src/{name}.ts": "" for name in (*"abcdeghijkx", "f/index")}
    house = write(
        tmp_path, {"page/tsconfig.json": "", "page/src/index.ts": "\n".join(lines), **files}
    )
    values, types = imports_of(house, "page/src/index.ts")
    assert values == {f"page/src/{name}.ts" for name in (*"adeghj", "f/index")}
    assert types == {f"page/src/{name}.ts" for name in "bcik"}


def test_packages_are_found(tmp_path: Path) -> None:
    """Each folder with a `pyproject.toml` and a package is measured, and each with scripts."""
    house = write(
        tmp_path,
        {
            "siteserver/pyproject.toml": "",
            "siteserver/site/__init__.py": "from shop import a",
            "core/shop/a.py": "",
            "examples/blog/__init__.py": "",
            "page/tsconfig.json": "",
            "page/src/index.ts": "",
            "page/build/tool.ts": "",
        },
    )
    assert house.packages == ["core/shop", "siteserver/site", "page/src"]
    assert [part.title for part in house.parts] == house.packages
    assert house.importers["core/shop/a.py"] == {"siteserver/site/__init__.py"}


# --- The graph ---------------------------------------------------------------------------


def test_circles() -> None:
    """A circle holds all that lead to each other, and no one else."""
    arrows = {("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "e2"), ("e2", "e"), ("x", "a")}
    assert circles(["a", "b", "c", "d", "e", "e2", "x"], arrows) == [["a", "b", "c"], ["e", "e2"]]


def test_a_circle_is_opened_where_the_fewest_arrows_turn() -> None:
    """One arrow closes two circles: it alone runs up."""
    arrows = Counter([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c"), ("c", "a")])
    assert arrows_up("abcd", arrows) == {("c", "a")}


def test_of_as_many_arrows_those_with_fewer_imports_run_up() -> None:
    """Where one arrow or another could turn, the one with fewer imports behind it does."""
    assert arrows_up("ab", Counter({("a", "b"): 3, ("b", "a"): 2})) == {("b", "a")}
    assert arrows_up("ab", Counter({("a", "b"): 2, ("b", "a"): 3})) == {("a", "b")}


def test_floors() -> None:
    """A room is one floor above the highest room below it."""
    arrows = {("roof", "middle"), ("middle", "ground"), ("roof", "ground"), ("side", "ground")}
    expected = {"ground": 1, "middle": 2, "side": 2, "roof": 3, "alone": 1}
    assert floors(expected, arrows) == expected


# --- The figures -------------------------------------------------------------------------


def test_figures_of_a_tower(tmp_path: Path) -> None:
    """A package without faults has floors, and neither arrows up nor circles."""
    figures = part_of(
        tmp_path,
        {
            "core/shop/app.py": "from shop.cart import pay\n\n\n",
            "core/shop/cart/__init__.py": "from shop.cart.total import pay\n",
            "core/shop/cart/total.py": "from shop import money\n\n",
            "core/shop/money.py": "",
        },
    ).figures()
    assert figures["files"] == 5
    assert figures["modules"] == 3
    assert figures["lines"] == 6
    assert figures["median lines"] == 2
    assert figures["most lines"] == 3
    assert figures["files at the top"] == 3
    assert figures["rooms"] == 4
    assert figures["floors"] == 3
    assert figures["one importer"] == 2
    assert not any(n for name, n in figures.items() if "up" in name or "circles" in name)


def test_an_arrow_up(tmp_path: Path) -> None:
    """An arrow up is counted between rooms, and with the imports behind it."""
    part = part_of(
        tmp_path,
        {
            "core/shop/app.py": "from shop.cart import a, b, c",
            "core/shop/cart/a.py": "from shop import app",
            "core/shop/cart/b.py": "from shop import app",
            "core/shop/cart/c.py": "",
        },
    )
    figures = part.figures()
    assert (figures["arrows up"], figures["imports up"]) == (1, 2)
    assert (figures["circles of modules"], figures["circles of rooms"]) == (1, 1)
    assert "cart -> app.py: 2" in names_behind(part)


def test_a_circle_of_rooms_without_a_circle_of_modules(tmp_path: Path) -> None:
    """Two folders can lead to each other where no two modules do, on every level."""
    part = part_of(
        tmp_path,
        {
            "core/shop/deep/x/a.py": "from shop.deep.y import b",
            "core/shop/deep/x/c.py": "",
            "core/shop/deep/y/b.py": "from shop.deep.x import c",
        },
    )
    figures = part.figures()
    assert (figures["circles of modules"], figures["circles of rooms"]) == (0, 1)
    assert (figures["arrows up"], figures["arrows up between folders"]) == (0, 1)
    assert "deep/x deep/y" in names_behind(part)


def test_a_circle_for_types_alone(tmp_path: Path) -> None:
    """A circle that types alone close counts only with types."""
    figures = part_of(
        tmp_path,
        {
            "core/shop/a.py": "from shop import b",
            "core/shop/b.py": "if TYPE_CHECKING:\n    from shop.a import A",
        },
    ).figures()
    assert (figures["circles of modules"], figures["circles of modules with types"]) == (0, 1)
    assert (figures["arrows up"], figures["arrows up with types"]) == (0, 1)


def test_shared_base_names(tmp_path: Path) -> None:
    """Each module of a shared name counts; `__init__` does not."""
    part = part_of(
        tmp_path,
        {
            "core/shop/names.py": "",
            "core/shop/x/__init__.py": "",
            "core/shop/x/names.py": "",
            "core/shop/x/prices.py": "",
            "core/shop/x/taxes.py": "",
        },
    )
    assert part.shared_names() == {"names": ["core/shop/names.py", "core/shop/x/names.py"]}
    figures = part.figures()
    assert (figures["shared base names"], figures["shared base names (%)"]) == (2, 50)


def test_shared_index_of_scripts(tmp_path: Path) -> None:
    """`index.ts` is shared, too, but has a figure of its own."""
    names = ("index", "a/index", "a/code", "b/code.d")
    files = {"page/tsconfig.json": "", **{f"page/src/{name}.ts": "" for name in names}}
    figures = write(tmp_path, files).parts[1].figures()
    assert (figures["shared base names"], figures["shared base names but index"]) == (4, 2)


def test_small_modules_with_one_importer(tmp_path: Path) -> None:
    """Under 60 lines, and one importer in the whole house, those for types counted."""
    part = part_of(
        tmp_path,
        {
            "core/shop/app.py": "from shop import long, small, twice",
            "core/shop/b.py": "if TYPE_CHECKING:\n    from shop import twice",
            "core/shop/small.py": "\n" * 59,
            "core/shop/twice.py": "",
            "core/shop/long.py": "\n" * 60,
        },
    )
    assert part.small_with_one_importer() == ["core/shop/small.py"]
    assert part.figures()["one importer"] == 2


def test_a_part_without_a_folder(tmp_path: Path) -> None:
    """A folder can be left out of the figures."""
    house = write(tmp_path, {"core/shop/a.py": "from shop.old import b", "core/shop/old/b.py": ""})
    assert Part(house, "core/shop", "old").figures()["files"] == 2
    assert Part(house, "core/shop", "old").title == "core/shop without old"


def test_lines_of_tests(tmp_path: Path) -> None:
    """Tests are counted by folder, two folders deep."""
    files = {
        "tests/test_a.py": "\n",
        "tests/core/deep/test_b.py": "\n\n",
        "page/test/c.test.ts": "\n",
    }
    house = write(tmp_path, {**files, "tests/core/case.md": "\n"})
    assert house.tests == {"page/test": 1, "tests": 1, "tests/core": 2}


# --- What is printed ---------------------------------------------------------------------


def test_table_before_and_after(tmp_path: Path) -> None:
    """A figure that changed is shown with both values."""
    before = write(tmp_path / "old", {"core/shop/a.py": ""})
    after = write(tmp_path / "new", {"core/shop/a.py": "", "core/shop/b.py": ""})
    assert "| modules | 1 → 2 |" in table(after, before)
    assert "| modules | 2 |" in table(after, None)


def test_limits(tmp_path: Path) -> None:
    """Each figure above its limit is reported with its package and both numbers."""
    house = write(tmp_path, {"core/shop/a.py": "from shop import b", "core/shop/b.py": ""})
    assert broken_limits(house) == []
    house = write(tmp_path, {"core/shop/b.py": "from shop import a"})
    assert broken_limits(house) == [
        "core/shop: arrows up 1, at most 0",
        "core/shop: circles of modules 1, at most 0",
    ]


@pytest.fixture(name="ours", scope="module")
def _ours() -> House:
    """This repository."""
    return House(ROOT)


def test_limits_name_what_there_is(ours: House) -> None:
    """Each limit is for a package and a figure that the script measures."""
    figures = ours.parts[0].figures()
    titles = {part.title for part in ours.parts}
    assert LIMITS.keys() - titles == {
        "every Python package",
        "every package of npm",
        "all packages",
    }
    assert all(limits.keys() <= figures.keys() for limits in LIMITS.values())


@pytest.mark.parametrize(
    ("language", "expected", "left_out"),
    [
        (
            "mermaid",
            ["r_a_py --> r_rooms_", "r_c_py -. up .-> r_a_py", 'r_rooms_["rooms/"]'],
            "r_a_py --> r_c_py",
        ),
        (
            "dot",
            ['"a.py" -> "rooms/";', '"c.py" -> "a.py" [style=dotted', "rank=same"],
            '"a.py" -> "c.py"',
        ),
    ],
)
def test_drawing(tmp_path: Path, language: str, expected: list[str], left_out: str) -> None:
    """A drawing has rooms by floor, the shortest ways down and dotted arrows up."""
    part = part_of(
        tmp_path,
        {
            "core/shop/a.py": "from shop import c\nfrom shop.rooms import b, b2",
            "core/shop/rooms/b.py": "from shop import c",
            "core/shop/rooms/b2.py": "from shop import c",
            "core/shop/c.py": "def late():\n    from shop import a",
        },
    )
    text = drawing(part, language)
    assert all(line in text for line in expected)
    assert left_out not in text
    assert "__init__" not in text


def test_the_drawing_for_contributors_is_fresh(ours: House) -> None:
    """CONTRIBUTING has the server's rooms as they are now."""
    (server,) = (part for part in ours.parts if part.title == "devserver/webagent_dev")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{drawing(server, 'mermaid')}\n```" in text


@pytest.mark.conformance
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The command measures this repository, as JSON too, and knows its packages."""
    assert main(["--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["packages"]["core/webagent"]["files"] > 100
    assert measured["tests"]["tests/scripts"] > 100
    with pytest.raises(SystemExit, match="2"):
        main(["--list", "nowhere"])
    assert "`nowhere` is not a package" in capsys.readouterr().err


def test_a_revision(tmp_path: Path) -> None:
    """`--at` measures a commit, not the files as they are."""
    script = tmp_path / "scripts" / "house.py"
    write(
        tmp_path,
        {"core/shop/a.py": "", "scripts/house.py": (ROOT / "scripts/house.py").read_text()},
    )
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    (tmp_path / "core/shop/b.py").write_text("")

    def run(*arguments: str) -> str:
        command = [sys.executable, str(script), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert "| modules | 2 |" in run()
    assert "| modules | 1 |" in run("--at", "HEAD")
    assert "| modules | 1 → 2 |" in run("--since", "HEAD")
