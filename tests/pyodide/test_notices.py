"""The notices name what is linked into the binaries of the bundle, by what these files say themselves."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest
from tests.pyodide.test_bundle import ROOT, in_pyodide
from tests.unpacked import unpacked_bundle

from webagent_site.config.folders import BUNDLE

pytestmark = pytest.mark.pyodide

LICENSES = ROOT / "browser_bundle" / "licenses"
RULE = "=" * 80

LIBRARY_OF_MODULE = {
    "_blake2": "HACL*",
    "_bz2": "bzip2",
    "_ctypes": "libffi",
    "_decimal": "mpdecimal",
    "_elementtree": "Expat",
    "_hmac": "HACL*",
    "_lzma": "XZ Utils",
    "_md5": "HACL*",
    "_pyodide_core": "Pyodide",
    "_sha1": "HACL*",
    "_sha2": "HACL*",
    "_sha3": "HACL*",
    "_sqlite3": "SQLite",
    "_zstd": "Zstandard",
    "binascii": "zlib",
    "pyexpat": "Expat",
    "zlib": "zlib",
}
"""Whose code a module of C needs, besides CPython's."""

OF_CPYTHON = [
    "_abc",
    "_ast",
    "_asyncio",
    "_bisect",
    "_codecs",
    "_codecs_cn",
    "_codecs_hk",
    "_codecs_iso2022",
    "_codecs_jp",
    "_codecs_kr",
    "_codecs_tw",
    "_collections",
    "_contextvars",
    "_csv",
    "_datetime",
    "_functools",
    "_heapq",
    "_imp",
    "_io",
    "_json",
    "_locale",
    "_lsprof",
    "_multibytecodec",
    "_opcode",
    "_operator",
    "_pickle",
    "_posixsubprocess",
    "_queue",
    "_random",
    "_remote_debugging",
    "_signal",
    "_socket",
    "_sre",
    "_stat",
    "_statistics",
    "_string",
    "_struct",
    "_suggestions",
    "_symtable",
    "_sysconfig",
    "_testbuffer",
    "_testcapi",
    "_testclinic",
    "_testclinic_limited",
    "_testinternalcapi",
    "_testlimitedcapi",
    "_thread",
    "_tokenize",
    "_tracemalloc",
    "_types",
    "_typing",
    "_warnings",
    "_weakref",
    "_xxtestfuzz",
    "_zoneinfo",
    "array",
    "atexit",
    "builtins",
    "cmath",
    "errno",
    "faulthandler",
    "fcntl",
    "gc",
    "itertools",
    "marshal",
    "math",
    "mmap",
    "posix",
    "select",
    "sys",
    "termios",
    "time",
    "unicodedata",
    "xxsubtype",
]
"""The modules of C that are CPython's alone."""

LIBRARY_OF_FLAG = {
    "bz2": "bzip2",
    "expat": "Expat",
    "ffi": "libffi",
    "lzma": "XZ Utils",
    "mpdec": "mpdecimal",
    "sqlite3": "SQLite",
    "zlib": "zlib",
    "zstd": "Zstandard",
}
"""Whose library a flag of the linker names; `m` is of the C library."""

ASKED = """
import json, sys, sysconfig, zlib, sqlite3, pyexpat, decimal
from compression import zstd

json.dumps({
    "modules": sys.builtin_module_names,
    "flags": sysconfig.get_config_var("MODLIBS"),
    "versions": {
        "Emscripten": ".".join(map(str, sys._emscripten_info.emscripten_version)),
        "Expat": pyexpat.EXPAT_VERSION.removeprefix("expat_"),
        "SQLite": sqlite3.sqlite_version,
        "Zstandard": zstd.zstd_version,
        "mpdecimal": decimal.__libmpdec_version__,
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    },
})
"""


@pytest.fixture(name="interpreter", scope="module")
def _interpreter() -> dict[str, Any]:
    """The answers of the bundle's Python about itself."""
    found: dict[str, Any] = in_pyodide(ASKED)
    return found


@pytest.fixture(name="entries", scope="module")
def _entries() -> dict[str, str]:
    """The text of each entry of the notices, by title."""
    notices = (BUNDLE / "THIRD_PARTY_NOTICES.txt").read_text(encoding="utf-8")
    _, *parts = notices.split(f"\n{RULE}\n")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def entry_of(entries: dict[str, str], name: str) -> str:
    """Return the text of the entry of a library; there is one."""
    (text,) = (
        text for title, text in entries.items() if re.match(rf"{re.escape(name)}( |$)", title)
    )
    return text


def test_each_module_of_c_has_an_entry(
    interpreter: dict[str, Any], entries: dict[str, str]
) -> None:
    """A module that is new has to be entered above."""
    modules = set(interpreter["modules"])

    assert modules - set(OF_CPYTHON) - LIBRARY_OF_MODULE.keys() == set()
    for module in modules & LIBRARY_OF_MODULE.keys():
        assert len(entry_of(entries, LIBRARY_OF_MODULE[module])) > 200, module


def test_each_library_that_the_linker_was_given_has_an_entry(
    interpreter: dict[str, Any], entries: dict[str, str]
) -> None:
    """As CPython's own build has written it down."""
    given = re.findall(r"-l(\w+)|/lib(\w+)\.a|-sUSE_(\w+)|\.\./lib(ffi)/", interpreter["flags"])
    names = {"".join(each).lower() for each in given} - {"m"}

    assert names == LIBRARY_OF_FLAG.keys()
    for name in names:
        assert entry_of(entries, LIBRARY_OF_FLAG[name]), name


def test_entries_have_the_versions_that_are_linked(
    interpreter: dict[str, Any], entries: dict[str, str]
) -> None:
    """As each library reports it."""
    for name, version in interpreter["versions"].items():
        assert f"{name} {version}" in entries


def test_the_runtime_of_emscripten_is_named(entries: dict[str, str]) -> None:
    """Functions of each are among the exports of the interpreter."""
    wasm = next(unpacked_bundle().glob("assets/*/pyodide.asm.wasm")).read_bytes()
    for symbol, name in {
        b"emscripten_get_sbrk_ptr": "Emscripten",
        b"_Unwind_CallPersonality": "libc++, libc++abi, libunwind and compiler-rt",
        b"__cxa_throw": "libc++, libc++abi, libunwind and compiler-rt",
        b"__multi3": "libc++, libc++abi, libunwind and compiler-rt",
        b"strtod": "musl,",
        b"malloc": "dlmalloc,",
    }.items():
        assert symbol in wasm
        assert entry_of(entries, name), name


def test_each_crate_in_the_library_of_pydantic_has_an_entry(entries: dict[str, str]) -> None:
    """The compiler of Rust leaves the paths of crates in the code; the bill of the wheel has more."""
    wasm = next(unpacked_bundle().glob("assets/*/library.wasm")).read_bytes().decode("latin-1")
    crates = set(re.findall(r"/([A-Za-z0-9_-]+)-(\d+\.\d+\.\d+[^/\s]*)/src/", wasm))
    named = "".join(text for title, text in entries.items() if title.startswith("Rust crates in "))

    assert len(crates) > 20
    for name, version in crates:
        assert f"\n{name} {version} (" in f"\n{named}", name
    (commit,) = set(re.findall(r"/rustc/([0-9a-f]{40})/", wasm))
    assert f"the standard library of Rust, commit {commit}" in named


def test_licence_texts_are_the_ones_that_were_looked_up() -> None:
    """Each has its digest, comes from a package, and belongs to something."""
    known = json.loads((LICENSES / "linked.json").read_text("utf-8"))
    used = {library["text"] for library in known["libraries"]}
    used |= {*known["crates"].values(), *known["licences"].values()}

    assert known["texts"].keys() == used == {path.name for path in (LICENSES / "linked").iterdir()}
    for name, text in known["texts"].items():
        content = (LICENSES / "linked" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == text["sha256"], name
        assert text["from"], name
