"""Projects of frameworks: where their servers look for the files that they publish as they are."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from webagent_dev.site.tree import saved_files
from webagent_site.config.urls import MANIFEST_NAME, MANIFEST_PATH
from webagent_site.text import printable

_PACKAGES = {
    "@11ty/eleventy": ("Eleventy", ""),
    "@sveltejs/kit": ("SvelteKit", "static"),
    "gatsby": ("Gatsby", "static"),
    "astro": ("Astro", "public"),
    "next": ("Next", "public"),
    "nuxt": ("Nuxt", "public"),
    "react-scripts": ("Create React App", "public"),
    "vite": ("Vite", "public"),
}
"""The framework of a package of npm, and the folder that it copies into its output. Several
frameworks bring Vite, so that it comes last."""

_SCRIPTS = ("dev", "start", "develop", "serve")
"""The names of scripts that start the server of a package, in order."""

_DEPTH = 3
"""How deep the program of a server may be."""
_MOST_BYTES = 1 << 20
_MOST_FILES = 10_000
"""How many files are looked at for a manifest that lies elsewhere."""
_PUBLIC_DIR = re.compile(r"""\bpublicDir\s*:\s*(["'])([^"'\n]+)\1""")
_OUTPUT = frozenset(("_site", "build", "dist", "out", "staticfiles"))
"""Folders of a project that its tools write."""
_TEMPLATES = frozenset((".j2", ".jinja", ".jinja2", ".liquid", ".njk"))
"""Pages of projects besides HTML files, as far as they are HTML."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a framework."""

    framework: str
    manifest: str = MANIFEST_NAME
    """The file that the framework publishes as the manifest, from the folder of the project."""
    url_path: str = MANIFEST_PATH
    """Its URL path."""
    server: str = "COMMAND"
    """The command that starts its own server."""
    missing: str = ""
    """The setting without which the framework does not publish it; empty if it needs none."""

    @property
    def folder(self) -> str:
        """The folder of the manifest."""
        return PurePosixPath(self.manifest).parent.as_posix()

    def is_template(self, name: str) -> bool:
        """Whether a file is a page, or a template of pages."""
        return PurePosixPath(name).suffix.lower() in _TEMPLATES

    def is_output(self, name: str) -> bool:
        """Whether a file is one that tools of the project write."""
        return name.split("/", maxsplit=1)[0] in _OUTPUT


def project_of(root: Path) -> Project | None:
    """Return the project that a folder is, None for plain files.

    Args:
        root: A real path.
    """
    if (root / "manage.py").is_file():
        return _django(root)
    return _of_packages(root) or _flask(root)


def manifest_of(folder: Path) -> Path:
    """Return the file of a folder's manifest: in it, or else where its framework publishes one."""
    own = folder / MANIFEST_NAME
    project = None if own.exists() else project_of(folder.resolve())
    return folder / project.manifest if project and (folder / project.manifest).is_file() else own


def unpublished_manifest(root: Path) -> str:
    """Return where a manifest lies that is not read, and the remedy; empty where nothing is known.

    Args:
        root: A real path.
    """
    project = project_of(root)
    found = next(
        (
            name
            for name, path in islice(saved_files(root), _MOST_FILES)
            if path.name == MANIFEST_NAME and not (project and project.is_output(name))
        ),
        None,
    )
    if found is None:
        into = "`webagent-dev init --into .` puts one where {} publishes it"
        return into.format(project.framework) if project else ""
    wanted = project.manifest if project else MANIFEST_NAME
    if project and found == wanted:
        return (
            f"{project.framework} publishes {printable(found)} - write `webagent-dev serve -- "
            f"{printable(project.server)}`"
        )
    needs = f", and {project.missing}" if project and project.missing else ""
    return (
        f"{printable(found)} is there, and is not published - move it to {printable(wanted)}{needs}"
    )


def npm_packages(root: Path) -> frozenset[str]:
    """Return the packages that the `package.json` of a folder names; none without such a file."""
    described = _package_json(root)
    parts = [described.get(name) for name in ("dependencies", "devDependencies")]
    return frozenset(name for part in parts if isinstance(part, dict) for name in part)


def _package_json(root: Path) -> dict[str, Any]:
    """Return the content of the `package.json` of a folder; empty if it cannot be read."""
    try:
        described = json.loads(_text(root / "package.json") or "{}")
    except (ValueError, RecursionError):
        return {}
    return described if isinstance(described, dict) else {}


def _of_packages(root: Path) -> Project | None:
    """Return the project of a `package.json`."""
    packages = npm_packages(root)
    name = next((name for name in _PACKAGES if name in packages), None)
    if name is None:
        return None
    framework, folder = _PACKAGES[name]
    if framework == "Vite":
        configs = map(_text, sorted(root.glob("vite.config.*")))
        named = next((match[2] for text in configs if (match := _PUBLIC_DIR.search(text))), folder)
        folder = _inside(root, root / named) or folder
    manifest = f"{folder}/{MANIFEST_NAME}" if folder else MANIFEST_NAME
    scripts = _package_json(root).get("scripts")
    for script in _SCRIPTS:
        if isinstance(scripts, dict) and script in scripts:
            return Project(framework, manifest, server=f"npm run {script}")
    return Project(framework, manifest)


def _django(root: Path) -> Project:
    """Return the project of a `manage.py`: the static folder of the site, or of its first app."""
    settings = [
        value
        for path in [*sorted(root.glob("*/settings.py")), *sorted(root.glob("*/settings/*.py"))]
        for value in _assignments(path)
    ]
    served = next((value for name, value in settings if name == "STATIC_URL"), None)
    address = ast.literal_eval(served) if isinstance(served, ast.Constant) else "static/"
    prefix = address.strip("/") if isinstance(address, str) and "//" not in address else "static"
    has_folders = any(name == "STATICFILES_DIRS" for name, _ in settings)
    apps = sorted(
        (path.parent for depth in ("*", "*/*") for path in root.glob(f"{depth}/apps.py")),
        key=lambda app: not (app / "static").is_dir(),
    )
    is_app = bool(apps) and not (has_folders and (root / "static").is_dir())
    folder = apps[0] / "static" if is_app else root / "static"
    missing = "" if is_app or has_folders else 'STATICFILES_DIRS = [BASE_DIR / "static"]'
    return Project(
        "Django",
        f"{folder.relative_to(root).as_posix()}/{MANIFEST_NAME}",
        f"/{prefix}/{MANIFEST_NAME}" if prefix else MANIFEST_PATH,
        "python manage.py runserver",
        missing and f"write `{missing}` into its settings.py",
    )


def _flask(root: Path) -> Project | None:
    """Return the project of the first file with a `Flask(…)`."""
    for name, path in saved_files(root):
        if not name.endswith(".py") or name.count("/") >= _DEPTH or "Flask(" not in _text(path):
            continue
        for call in _calls(path, "Flask"):
            given = {
                keyword.arg: keyword.value.value
                for keyword in call.keywords
                if isinstance(keyword.value, ast.Constant)
            }
            static = given.get("static_folder", "static")
            folder = isinstance(static, str) and _inside(root, path.parent / static)
            if not folder:
                continue
            at = given.get("static_url_path")
            prefix = at.strip("/") if isinstance(at, str) else PurePosixPath(folder).name
            url_path = f"/{prefix}/{MANIFEST_NAME}" if prefix else MANIFEST_PATH
            server = f"flask --app {name} run"
            return Project("Flask", f"{folder}/{MANIFEST_NAME}", url_path, server)
    return None


def _assignments(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a Python file assigns at its top level, with their values."""
    for statement in _parsed(path).body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value


def _calls(path: Path, name: str) -> Iterator[ast.Call]:
    """Yield the calls of a name in a Python file."""
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Call):
            called = node.func
            if name in (getattr(called, "id", None), getattr(called, "attr", None)):
                yield node


def _parsed(path: Path) -> ast.Module:
    """Return a Python file as a tree, an empty one if it is not Python."""
    try:
        return ast.parse(_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def _text(path: Path) -> str:
    """Return the text of a file, an empty one if it cannot be read or is not a person's."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _inside(root: Path, folder: Path) -> str:
    """Return a folder as a path from the root, empty if it is not below it."""
    try:
        found = folder.resolve().relative_to(root).as_posix()
    except (OSError, ValueError):
        return ""
    return "" if found == "." else found
