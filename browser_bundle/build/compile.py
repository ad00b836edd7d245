"""Turns zips of Python source into zips of bytecode, inside Pyodide.

The bytecode is made by the very interpreter that will run it, is not checked against a source
that is not there, and holds no docstrings, no asserts and no columns of lines (the interpreter is
started with `-X no_debug_ranges`); that of the core holds no annotations of functions. Entries are
stored, not deflated: the transport compresses better. Names are sorted and dates fixed, so equal
input gives equal bytes.
"""

import ast
import base64
import csv
import hashlib
import io
import re
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import source_hash

EPOCH = (1980, 1, 1, 0, 0, 0)
FOR_DRIVERS = "webagent/page/js/"
"""Scripts that core loads into pages from outside; a page that runs Python has them already."""
OURS = "webagent/"
STEMMERS = "snowballstemmer/"
STEMMED = frozenset(
    {
        "among",
        "basestemmer",
        "arabic_stemmer",
        "english_stemmer",
        "french_stemmer",
        "german_stemmer",
        "spanish_stemmer",
    }
)
"""Its modules that the agent without a model imports, one by one; the package has 37 languages."""
SITE = "/lib/python3.14/site-packages"
WHEEL_NAME = re.compile(r"^(?P<name>[^-]+-[^-]+)-py3-none-any\.whl$")


class Titled(ast.NodeTransformer):
    """Gives dataclasses a docstring, for without one each start writes it from their signature."""

    def visit_ClassDef(self, node):
        """Let the name be it."""
        called = (getattr(each, "func", each) for each in node.decorator_list)
        if any(ast.unparse(each).rpartition(".")[2] == "dataclass" for each in called):
            title = ast.Assign([ast.Name("__doc__", ast.Store())], ast.Constant(node.name))
            node.body.insert(0, ast.fix_missing_locations(ast.copy_location(title, node)))
        return self.generic_visit(node)


class Unannotated(Titled):
    """Takes away the annotations of functions, which nothing in the core asks for when it runs."""

    def visit_FunctionDef(self, node):
        """Leave a function its names and defaults."""
        node.returns = None
        taken = node.args
        for argument in (
            *taken.posonlyargs,
            *taken.args,
            *taken.kwonlyargs,
            taken.vararg,
            taken.kwarg,
        ):
            if argument is not None:
                argument.annotation = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef


def compile_entries(archive, root, optimize=2, before=()):
    """Yield `(name, bytes)` of all files, sources as bytecode; `root` names them in tracebacks.

    `before` has files that were made by this compiler; the bytecode of the same sources stays.
    """
    before = dict(before)
    for name in sorted(archive.namelist()):
        data = archive.read(name)
        if name.endswith("/") or name.startswith(FOR_DRIVERS) or is_unused(name):
            continue
        if not name.endswith(".py"):
            yield name, data
            continue
        made = before.get(f"{name}c", b"")
        if made[8:16] == source_hash(data):
            yield f"{name}c", made
            continue
        tree = compile(data, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        if name.startswith(OURS):
            tree = Unannotated().visit(tree)
        elif optimize == 2:
            tree = Titled().visit(tree)
        code = compile(tree, f"{root}/{name}", "exec", dont_inherit=True, optimize=optimize)
        yield f"{name}c", bytes(_code_to_hash_pyc(code, source_hash(data), checked=False))


def is_unused(name):
    """Return whether a file of a wheel is a stemmer of a language that the agent does not read."""
    module = name.removeprefix(STEMMERS).removesuffix(".py")
    return name.startswith(STEMMERS) and module not in STEMMED


def write_zip(entries):
    """Return a zip of `(name, bytes)` pairs, stored."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data)
    return out.getvalue()


def compile_stdlib(data):
    """Return the standard library's zip with bytecode for source."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return write_zip(list(compile_entries(archive, "/lib/python314.zip")))


def split_stdlib(data, touched, late):
    """Return two zips: the modules of a list, and all other files.

    Args:
        data: The zip of the whole standard library, compiled.
        touched: Names of modules.
        late: Source of the module of the first zip that looks into the second.
    """
    first, rest = [], []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            kept = module_of(name) in touched
            (first if kept else rest).append((name, archive.read(name)))
    names = {
        constant: frozenset(filter(None, (module_of(name) for name, _ in files)))
        for constant, files in {"FIRST": first, "REST": rest}.items()
    }
    late = write_module("webagent_late", late, names)
    return write_zip([*first, late]), write_zip(rest)


def first_of(wheels, modules):
    """Return a zip of those modules of some wheels that are in a list."""
    first = []
    for wheel in wheels:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            names = (name for name in archive.namelist() if module_of(name) in modules)
            first.extend((name, archive.read(name)) for name in names)
    return write_zip(sorted(first))


def write_module(name, source, constants):
    """Return `(name, bytes)` of a module of ours in the standard library's zip."""
    lists = "".join(f"{constant} = {literal(value)}\n" for constant, value in constants.items())
    source = f"{source}\n\n{lists}".encode()
    code = compile(source, f"/lib/python314.zip/{name}.py", "exec", optimize=2)
    return f"{name}.pyc", bytes(_code_to_hash_pyc(code, source_hash(source), checked=False))


def literal(value):
    """Return a value as Python, the same each time."""
    return f"frozenset({sorted(value)!r})" if isinstance(value, frozenset) else repr(value)


def module_of(name):
    """Return the name of the module that a file of a zip holds, None if it is data."""
    stem, _, suffix = name.rpartition(".")
    return stem.removesuffix("/__init__").replace("/", ".") if suffix == "pyc" else None


def compile_wheel(name, data, optimize=2, last=None):
    """Return `(name, bytes)` of a wheel with bytecode for source, tagged for this interpreter.

    `last` is an earlier result for a wheel of this name.
    """
    before = entries_of(last) if last else ()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = dict(compile_entries(archive, SITE, optimize, before))
    if pure := WHEEL_NAME.match(name):
        name = f"{pure['name']}-cp314-none-any.whl"
    info = next(entry for entry in entries if entry.endswith(".dist-info/WHEEL"))
    entries[info] = entries[info].replace(b"Tag: py3-none-any", b"Tag: cp314-none-any")
    record = info.removesuffix("WHEEL") + "RECORD"
    entries[record] = write_record(entries, record)
    return name, write_zip(sorted(entries.items()))


def entries_of(data):
    """Return the bytes of each file of a zip, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def part(data):
    """Return `(wheel, path, bytes)`: a wheel without its WebAssembly library, and where that will lie.

    None of a wheel without one.
    """
    entries = entries_of(data)
    name = next((name for name in entries if name.endswith(".so")), None)
    if name is None:
        return None
    library = entries.pop(name)
    record = next(entry for entry in entries if entry.endswith(".dist-info/RECORD"))
    entries[record] = write_record(entries, record)
    return write_zip(sorted(entries.items())), f"{SITE}/{name}", library


def imports(data):
    """Return the names that a wheel, compiled, can be imported by."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        code = [name for name in archive.namelist() if name.endswith((".pyc", ".so"))]
    names = {name.partition("/")[0].partition(".")[0] for name in code}
    return sorted(filter(str.isidentifier, names))


def write_record(entries, record):
    """Return the wheel's list of files with their digests."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    for name, data in sorted(entries.items()):
        if name == record:
            continue
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(data)])
    rows.writerow([record, "", ""])
    return out.getvalue().encode()


def licences(data):
    """Return `(title, text)` of a wheel: its name and version, and its licence files."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        fields = archive.read(metadata).decode().partition("\n\n")[0]
        name = re.search(r"^Name: (.+)$", fields, re.M)[1]
        version = re.search(r"^Version: (.+)$", fields, re.M)[1]
        wanted = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE)[^/]*$", re.I)
        texts = [archive.read(entry).decode() for entry in sorted(names) if wanted.search(entry)]
    return f"{name} {version}", "\n\n".join(texts)
