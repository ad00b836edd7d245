"""The built wheel in the built bundle answers as the source does here."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.core_suite import suite
from tests.unpacked import unpacked_bundle

from webagent.agent.deterministic.reading.language import language, languages
from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PROGRAM = (HERE / "program.py").read_text(encoding="utf-8")

pytestmark = pytest.mark.pyodide


def in_pyodide(program: str, *options: str, **folders: Path) -> Any:
    """Run a program in the bundle; return what its last expression says in JSON.

    Each of `folders` is to be seen there under its name. With `--first` there is no more of the
    standard library than what a page starts with.
    """
    mounts = [f"{folder}=/{name}" for name, folder in folders.items()]
    run = subprocess.run(
        ["node", str(HERE / "run.mjs"), str(unpacked_bundle()), *options, *mounts],
        input=program,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def here(program: str) -> Any:
    """Run a program in this interpreter; return what its last expression says in JSON."""
    tree = ast.parse(program)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, Any] = {}
    exec(compile(tree, "program", "exec"), names)
    return json.loads(eval(compile(ast.Expression(last.value), "program", "eval"), names))


@pytest.mark.conformance
def test_the_bundle_answers_as_this_interpreter_does() -> None:
    """Manifest, findings, declarations and Markdown are equal for good and for mangled texts.

    All of it with what a page starts with, before the rest of the standard library is there.
    """
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("tests/cases/*.md"))]
    texts.append((ROOT / "site_template" / "webagents.md").read_text(encoding="utf-8"))
    program = f"TEXTS = {json.dumps(texts)!r}\n{PROGRAM}"

    for theirs, ours in zip(in_pyodide(program, "--first"), here(program), strict=True):
        assert theirs == ours


@pytest.mark.conformance
@pytest.mark.timeout(1200)
def test_the_unit_tests_of_core_pass_in_the_bundle() -> None:
    """Core's own tests, run by pytest inside Pyodide against the wheel of the bundle."""
    packages = Path(pytest.__file__).parents[1]
    outcome = in_pyodide(suite("tests/core"), repo=ROOT, packages=packages)

    assert outcome["failed"] == []
    assert outcome["code"] == 0
    assert outcome["passed"] > 1000


def test_the_bundle_holds_no_source() -> None:
    """Everything that starts is bytecode, and nothing of it was compiled by another Python."""
    program = """
import importlib.util, json, pathlib, sys
import webagent.inpage, pydantic, asyncio
modules = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
# Some are part of the interpreter and only claim to come from a file.
loaded = [m for m in modules if m.__spec__ and m.__spec__.origin != "frozen"]
json.dumps({
    "source": sorted(m.__name__ for m in loaded if m.__file__.endswith(".py")),
    "loaded": len(loaded),
    "python": sys.version_info[:2],
})
"""
    answer = in_pyodide(program)

    assert answer["source"] == []
    assert answer["loaded"] > 100
    assert answer["python"] == [3, 14]


IMPORTS = {
    "--first": "import webagent.inpage",
    "": """
import webagent.inpage, webagent.checks, webagent.agent.session
import webagent.agent.deterministic.planner, webagent.llm.openai""",
}


@pytest.mark.parametrize("way", IMPORTS)
def test_imports_compile_nothing_that_the_build_has_compiled(way: str) -> None:
    """Neither methods of dataclasses nor regular expressions, and they are what they would be."""
    program = """
import dataclasses, json, re
anew = []
run, parse = dataclasses.exec, re._compiler._parser.parse
def watched_parse(pattern, flags=0):
    anew.append(pattern)
    return parse(pattern, flags)
re._compiler._parser.parse = watched_parse
def watched_run(text, names, made):
    run(text, names, made)
    if made["__create_fn__"].__code__.co_filename != "<dataclass>":
        anew.append(text)
dataclasses.exec = watched_run
IMPORTS
compiled = list(anew)
matches = bool(re.compile("la+ter").match("laater"))

@dataclasses.dataclass
class Later:
    number: int

json.dumps([compiled, anew[-2:], matches, Later(3) == Later(3) != Later(4)])
"""
    compiled, later, matches, equal = in_pyodide(
        program.replace("IMPORTS", IMPORTS[way]), *way.split()
    )

    assert compiled == []
    assert later[0] == "la+ter"
    assert "self.number" in later[1]
    assert matches
    assert equal


def test_the_agent_needs_no_more_files_of_the_standard_library_than_a_start() -> None:
    """Its first import would read the directory of an archive, which takes as long as ten modules."""
    program = """
import json, sys
import webagent.inpage
before = set(sys.modules)
import webagent.agent.session, webagent.llm.openai
added = [sys.modules[name] for name in set(sys.modules) - before]
json.dumps(sorted({getattr(each, "__file__", "").partition("/webagent/")[0] for each in added}))
"""

    assert in_pyodide(program) == ["", "/lib/python3.14/site-packages"]


def test_the_rest_of_the_standard_library_is_found_where_it_belongs() -> None:
    """Modules, packages and modules of packages whose other part was there before."""
    program = """
import json, csv, xml.dom.minidom, email.message, encodings.cp1252, concurrent.futures.thread
modules = [csv, xml.dom.minidom, email.message, encodings.cp1252, concurrent.futures.thread]
json.dumps([module.__file__ for module in modules])
"""
    files = in_pyodide(program)

    assert all(file.startswith("/lib/python314-rest.zip/") for file in files)


def test_an_import_that_cannot_wait_says_why() -> None:
    """Before the rest of the standard library is there, and where nothing can wait for it."""
    program = """
import json
try:
    import csv
except ImportError as error:
    said = str(error)
json.dumps(said)
"""

    assert "`csv` is not there yet" in in_pyodide(program, "--first")


def test_the_lock_file_names_the_wheels_by_digest() -> None:
    """Each wheel of the lock file is in the bundle and has the digest that is written there."""
    import hashlib

    files = BundleFiles(BUNDLE)
    assets = json.loads(files.read("bundle.json"))
    lock = json.loads(files.read(assets["lock"]))

    assert {"webagent-core", "pydantic", "pydantic-core", "micropip", "snowballstemmer"} <= lock[
        "packages"
    ].keys()
    for package in lock["packages"].values():
        wheel = files.read(package["file_name"])
        assert hashlib.sha256(wheel).hexdigest() == package["sha256"]
    # Pyodide does not load again the packages that the page reports as loaded.
    places = {package["name"]: package["file_name"] for package in lock["packages"].values()}
    assert assets["wheels"].items() <= places.items()


def test_the_stemmers_of_the_languages_are_there() -> None:
    """Every language that the agent reads has its stemmer, and no other one is carried."""
    program = """
import json, pathlib, importlib.util
from webagent.agent.deterministic.reading.language import language, languages
(folder,) = importlib.util.find_spec("snowballstemmer").submodule_search_locations
json.dumps({
    "stems": {code: language(code).stem("Internationale") for code in languages()},
    "carried": sorted(file.stem for file in pathlib.Path(folder).glob("*_stemmer.pyc")),
})
"""
    answer = in_pyodide(program)

    assert answer["stems"] == {code: language(code).stem("Internationale") for code in languages()}
    assert len(answer["carried"]) == len(answer["stems"])


def test_micropip_is_there_for_what_a_site_adds() -> None:
    """Micropip is loaded from the bundle when it is asked for."""
    program = """
import json, pyodide_js
await pyodide_js.loadPackage("micropip")
import micropip
json.dumps("pydantic" in micropip.list())
"""

    assert in_pyodide(program) is True


def test_the_licences_of_what_is_redistributed_are_there() -> None:
    """The notices name every package and quote a licence for each."""
    notices = (BUNDLE / "THIRD_PARTY_NOTICES.txt").read_text(encoding="utf-8")

    for title in ("Pyodide 314", "CPython", "pydantic 2", "pydantic_core 2", "micropip 0"):
        assert f"\n{title}" in notices
    assert notices.count("=" * 80) >= 14
