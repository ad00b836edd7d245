"""The sites that coding agents work on: the shop, Vite's starter and Django's."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.e2e.test_proxy import Other
from tests.server import ServerProcess

SERVED_S = 60.0
"""How long a site may take to serve a change."""
TEMPLATE = Path(__file__).parents[3] / "site_template"
USER, PASSWORD = "keeper", "first flush of the year"
"""The account for the administration of Django's starter."""

_PLAIN = ("--template", "vanilla", "--no-interactive")
_TOOL = """
globalThis.findTeas = async (word) =>
  [{ id: "assam", name: "Assam Breakfast" }].filter(({ id }) => id.includes(word.toLowerCase()));
"""
_MANIFEST = """# Teas

Teas, by name.

## findTeas

Find teas by a word of their name.

### Params

- `word` (string, required): A word, such as "assam".

### Output

```typescript
{ id: string; name: string }[]
```

### Behavior

- effect: read
"""


@dataclass
class Site:
    """A site that is served, and the files in which a coding agent writes."""

    url: str
    root: Path
    served: Path
    """The folder that the development server was given."""
    _before: dict[Path, str] = field(default_factory=dict)

    def replace(self, name: str, old: str, new: str) -> None:
        """Write something else into a file, as a coding agent does with tools of its own."""
        path = self.root / name
        text = path.read_text("utf-8")
        assert text.count(old) == 1, (name, old)
        self._before.setdefault(path, text)
        path.write_text(text.replace(old, new), "utf-8")

    async def until(self, path: str, words: str) -> None:
        """Wait until the site serves what was written; a server behind it needs a moment for that."""
        async with httpx.AsyncClient() as client, asyncio.timeout(SERVED_S):
            while True:
                # A server that starts again refuses for a moment.
                with suppress(httpx.TransportError):
                    if words in (await client.get(self.url + path)).text:
                        return

    def restore(self) -> None:
        """Write what was in the files before."""
        for path, text in self._before.items():
            path.write_text(text, "utf-8")
        self._before.clear()


@contextmanager
def shop(folder: Path) -> Iterator[Site]:
    """Serve the shop."""
    root = folder / "shop"
    shutil.copytree(TEMPLATE, root)
    with _served(root) as url:
        yield Site(url, root, root)


@contextmanager
def vite(folder: Path) -> Iterator[Site]:
    """Serve Vite's plain starter, to which one tool was added."""
    root = folder / "vite"
    _run(folder, "npm", "create", "--yes", "vite@9.3.0", "vite", "--", *_PLAIN)
    _run(root, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    _run(root, sys.executable, "-m", "webagent_dev", "init", "--into", ".", "--yes")
    (root / "src" / "tools.js").write_text(_TOOL)
    (root / "public" / "webagents.md").write_text(_MANIFEST)
    main = root / "src" / "main.js"
    main.write_text(f'import "./tools.js";\n{main.read_text()}')
    command = ["node", str(root / "node_modules/vite/bin/vite.js"), "--clearScreen", "false"]
    with _behind(command, root, root / "public") as url:
        yield Site(url, root, root / "public")


@contextmanager
def django(folder: Path) -> Iterator[Site]:
    """Serve Django's starter, whose administration is in use."""
    root = folder / "django"
    root.mkdir()
    _run(root, sys.executable, "-m", "django", "startproject", "teas", ".")
    _run(root, sys.executable, "manage.py", "migrate", "--verbosity", "0")
    user = ("--noinput", "--username", USER, "--email", "keeper@teas.example")
    os.environ["DJANGO_SUPERUSER_PASSWORD"] = PASSWORD
    _run(root, sys.executable, "manage.py", "createsuperuser", "--verbosity", "0", *user)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-u", "manage.py", "runserver", f"127.0.0.1:{port}"]
    public = root / "public"
    public.mkdir()
    with _behind(command, root, public) as url:
        yield Site(url, root, public)


SITES = {"shop": shop, "vite": vite, "django": django}


@contextmanager
def _behind(command: list[str], root: Path, served: Path) -> Iterator[str]:
    """Serve what another server has, with ours in front of it."""
    with ExitStack() as ended:
        other = Other(command, root)
        ended.callback(other.stop)
        yield ended.enter_context(_served(served, "--proxy", other.url))


@contextmanager
def _served(root: Path, *options: str) -> Iterator[str]:
    server = ServerProcess(root, "--headless", *options)
    try:
        yield server.url
    finally:
        server.stop()


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
