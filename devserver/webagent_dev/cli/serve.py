"""`webagent-dev serve`: serves a site until Ctrl-C."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from webagent_dev.cli.exit import INTERRUPTED, MISUSED

if TYPE_CHECKING:
    from webagent_dev.config.resolve import Overrides


@click.command("serve")
@click.argument("root", required=False)
@click.option(
    "--host",
    help="The address to listen on. With 0.0.0.0 others can reach the server, and visitors need the "
    "token that is printed.  [default: 127.0.0.1]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help="The port to listen on; if it is taken, the next free one. 0 means any.  [default: 8000]",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Another name of this server, such as that of a tunnel; .NAME allows all names below it. "
    "May be given several times.",
)
@click.option(
    "--https",
    is_flag=True,
    default=None,
    help="Serve over HTTPS, with a certificate that is made here.",
)
@click.option(
    "--cert",
    type=click.Path(path_type=Path),
    help="Serve over HTTPS with this certificate, a PEM file.",
)
@click.option("--key", type=click.Path(path_type=Path), help="The key of that certificate.")
@click.option(
    "--spa",
    is_flag=True,
    default=None,
    help="Answer paths that lead to no file with the first page, for sites that route in the page.",
)
@click.option(
    "--proxy",
    metavar="URL",
    help="Serve the pages of another server, such as Vite, Next, Django or Flask; ROOT then only "
    "holds webagents.md.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the site in your browser.")
@click.option(
    "--editor",
    metavar="COMMAND",
    help="The command that opens files when you click an error in a page, such as code.  [default: "
    "$WEBAGENT_EDITOR, or one that is installed]",
)
@click.option(
    "--forward-console",
    is_flag=True,
    default=None,
    help="Show in this terminal the consoles of pages, their uncaught errors, and what the agent "
    "does in them.",
)
@click.option(
    "--component-origin",
    "component_origins",
    multiple=True,
    metavar="ORIGIN",
    help="Another origin of the same application: its pages may show pages of this site in frames, "
    "and frames share their tools. May be given several times.",
)
@click.option(
    "--doors",
    type=click.Choice(["token", "open", "off"]),
    help="The programs that may use open pages over MCP (/mcp) and send tasks over A2A (/a2a/…): those "
    "with the token of `webagent-dev token`, all on this machine, or none.  [default: token]",
)
@click.option(
    "--headless",
    is_flag=True,
    default=None,
    help="Open a page in a headless Chromium for a call when no page is open.",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Another origin that tasks from outside may work on, in pages of that Chromium. May be "
    "given several times.",
)
@click.option(
    "--llm-model",
    metavar="PROVIDER:MODEL",
    help="The model for the agent in the pages, such as `ollama:qwen3`; without one it plans by "
    "itself.",
)
@click.option("--llm-base-url", metavar="URL", help="Another address of the provider's API.")
@click.option(
    "--llm-api-key-env",
    metavar="VARIABLE",
    help="The environment variable that holds the key. Pages never see the key.",
)
@click.option(
    "--llm-max-usd",
    metavar="DOLLARS",
    help="The most that all pages together may spend while the server runs.",
)
@click.pass_obj
def command(started_s: float, root: str | None, **overrides: Unpack[Overrides]) -> None:
    """Serve the folder ROOT (by default this one) and reload its pages when you save.

    Pages get an agent that reads ROOT/webagents.md. As soon as you save that file, its errors are
    shown here and in the page. Options that you leave out are read from webagent.toml, in ROOT or in
    this folder.

    \b
    Example:
      webagent-dev serve my-site --open
      webagent-dev serve --proxy http://localhost:5173
      webagent-dev serve my-site --llm-model ollama:qwen3
    """
    # While modules are loaded there is no garbage; looking for some takes a tenth of the start.
    gc.disable()
    from webagent_dev.config.extras import BROWSER
    from webagent_dev.config.resolve import require_site, resolve_config
    from webagent_dev.terminal import Console
    from webagent_site.errors import ConfigError

    try:
        try:
            config = resolve_config(root, **overrides)
            require_site(config, typed=root is not None)
            if config.headless:
                BROWSER.require()
        except ConfigError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(MISUSED)
        from webagent_dev.server import runner

        interrupted = runner.serve(config, Console.for_terminal(), started_s=started_s)
    except ConfigError as error:
        # The address cannot be bound.
        raise click.ClickException(str(error)) from None
    finally:
        gc.enable()
    if interrupted:
        sys.exit(INTERRUPTED)
