"""The command line: reads what was typed and hands it on."""

from __future__ import annotations

import time

_STARTED_S = time.perf_counter()

import click  # noqa: E402

from webagent_dev import __version__  # noqa: E402

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=_HELP)
@click.version_option(__version__, prog_name="webagent-dev", message="%(prog)s %(version)s")
def main() -> None:
    """The development server for sites with a webagents.md."""


@main.command()
@click.argument("root", default=".")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port to listen on; if it is taken, the next free one. 0 means any.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the site in your browser.")
def serve(root: str, host: str, port: int, open_browser: bool) -> None:
    r"""Serve the folder ROOT (by default this one) and reload its pages when you save.

    Pages get an agent that reads ROOT/webagents.md. What is wrong with that file is shown here and in
    the page as soon as you save it.

    \b
    Example:
      webagent-dev serve my-site --open
    """
    # Imported here, so that --help and --version answer at once.
    from webagent_dev.config import ConfigError, resolve_config
    from webagent_dev.console import Console

    try:
        config = resolve_config(root, host, port, open_browser)
        from webagent_dev import server

        server.serve(config, Console.for_terminal(), started_s=_STARTED_S)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
