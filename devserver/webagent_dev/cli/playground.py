"""`webagent-dev playground`: a page on which one types a manifest and sees what it means."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webagent_dev.cli.doctor import check_bundle
from webagent_dev.cli.exit import INTERRUPTED, run_command
from webagent_dev.cli.options import PORT
from webagent_dev.terminal import Console
from webagent_site.config.folders import BUNDLE
from webagent_site.errors import UsageError
from webagent_site.text import printable

if TYPE_CHECKING:
    from starlette.applications import Starlette

PAGE = "playground.html"

_FILES = frozenset(
    (PAGE, "playground.js", "inspector.css", "python_worker.js", "THIRD_PARTY_NOTICES.txt")
)
_FOLDERS = ("assets/", "examples/")


@click.command("playground")
@click.option(
    "--port",
    type=PORT,
    default=8000,
    show_default=True,
    help="The port to listen on; if it is taken, the next free one. 0 means any.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in your browser.")
@click.option(
    "--build",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the page into this folder instead, for any host of static files.",
)
@run_command
def command(console: Console, port: int, open_browser: bool, folder: Path | None) -> int:
    """Show a page on which you type a webagents.md and see at once what it means.

    It shows the declarations, the JSON Schema, the mistakes with their fixes, and what a model gets.
    All of this happens in the browser, and nothing is sent anywhere.

    \b
    Example:
      webagent-dev playground --open
      webagent-dev playground --build public/playground
    """
    if not (checked := check_bundle(BUNDLE)).ok:
        raise UsageError(f"the playground is not there: {checked.text}")
    if folder is None:
        return _serve(console, port, open_browser)
    _write(console, folder)
    return 0


def _write(console: Console, out: Path) -> None:
    """Write the page and what it needs."""
    from webagent_site.http.bundle_files import BundleFiles

    files = BundleFiles(BUNDLE)
    names = [name for name in files.names() if name in _FILES or name.startswith(_FOLDERS)]
    try:
        if out.exists() and any(out.iterdir()):
            raise UsageError(
                f"`{out}` is not empty - its files would be mixed with those of the playground - "
                "give `--build` a new or empty folder"
            )
        for name in names:
            path = out / ("index.html" if name == PAGE else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files.read(name))
    except OSError as error:
        raise UsageError(
            f"`{error.filename or out}` cannot be written - {error.strerror or error} - "
            "write a folder behind `--build` that you may write to"
        ) from None
    console.line(f"{len(names)} files in {printable(str(out))}, for any host of static files")


def _serve(console: Console, port: int, open_browser: bool) -> int:
    """Serve the page on this machine until Ctrl-C; return the exit code."""
    import logging

    import uvicorn

    from webagent_dev.config.model import ServeConfig
    from webagent_dev.server.runner import ClosingServer, bind, show_in_browser
    from webagent_dev.terminal import ServerLog

    config = ServeConfig(Path(), port=port)
    listener = bind(config)
    url = f"http://{config.host}:{listener.getsockname()[1]}/"
    console.labelled("playground", console.paint("bold", url))
    console.labelled("stop", "Ctrl-C stops")
    log = logging.getLogger("uvicorn.error")
    log.handlers[:] = [ServerLog(console)]
    log.propagate = False
    if open_browser:
        threading.Thread(target=show_in_browser, args=(url, console), daemon=True).start()
    server = ClosingServer(
        uvicorn.Config(
            playground_app(),
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=0,
        )
    )
    server.run(sockets=[listener])
    return INTERRUPTED if server.interrupted else 0


def playground_app() -> Starlette:
    """Return the application that serves the page, at `/`."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from webagent_site.http.assets import Assets

    assets = Assets()

    async def file(request: Request) -> Response:
        return await assets.named(request, request.path_params["path"] or PAGE)

    return Starlette(routes=[Route("/{path:path}", file)])
