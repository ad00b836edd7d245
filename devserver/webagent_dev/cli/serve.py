"""`webagent-dev serve`: serves a site until Ctrl-C."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from webagent_dev.cli.candidates import folders
from webagent_dev.cli.exit import INTERRUPTED, MISUSED
from webagent_dev.cli.options import PORT

if TYPE_CHECKING:
    from webagent_dev.config.model import ServeConfig
    from webagent_dev.config.resolve import Overrides
    from webagent_dev.server.upstream_process import UpstreamProcess
    from webagent_dev.terminal import Console


class _ServeCommand(click.Command):
    """Takes everything behind `--` as the command line of another server."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what comes before `--`; click itself would take the first word behind it for ROOT."""
        before, after = args, []
        if "--" in args:
            at = args.index("--")
            before, after = args[:at], args[at + 1 :]
            if not after:
                raise click.UsageError(
                    "`--` has no command behind it - it starts the site's own server - "
                    "write `-- npm run dev`",
                    ctx,
                )
        rest = super().parse_args(ctx, before)
        ctx.params["upstream_command"] = tuple(after)
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the line of usage."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


@click.command("serve", cls=_ServeCommand)
@click.argument("root", required=False, shell_complete=folders)
@click.option(
    "--host",
    help="The address to listen on. With 0.0.0.0 others can reach the server, and visitors need the "
    "token that is printed.  [default: 127.0.0.1]",
)
@click.option(
    "--port",
    type=PORT,
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
    "--forward-console/--no-forward-console",
    default=None,
    help="Show in this terminal the consoles of pages, their uncaught errors, and what the agent "
    "does in them.  [default: errors alone for a coding agent, else nothing]",
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
def command(
    started_s: float,
    root: str | None,
    upstream_command: tuple[str, ...],
    **overrides: Unpack[Overrides],
) -> None:
    """Serve the folder ROOT (by default this one) and reload its pages when you save.

    Pages get an agent that reads ROOT/webagents.md. As soon as you save that file, its errors are
    shown here and in the page. Options that you leave out are read from webagent.toml, in ROOT or in
    this folder.

    COMMAND starts the site's own server, such as Vite. Its pages are served as with --proxy, at the first
    URL of this machine that it prints. Both servers end together, and the exit code is then that of
    COMMAND.

    \b
    Example:
      webagent-dev serve my-site --open
      webagent-dev serve -- npm run dev
      webagent-dev serve --proxy http://localhost:5173
      webagent-dev serve my-site --llm-model ollama:qwen3
    """
    # While modules are loaded there is no garbage; looking for some takes a tenth of the start.
    gc.disable()
    from webagent_dev.config.resolve import require_site, resolve_config
    from webagent_dev.terminal import Console
    from webagent_site.errors import ConfigError

    try:
        with ExitStack() as stack:
            try:
                config = resolve_config(root, **overrides)
                require_site(config, typed=root is not None or bool(upstream_command))
                if config.headless:
                    from webagent_dev.config.extras import BROWSER

                    BROWSER.require()
                console = Console.for_terminal()
                if config.forward_console is None and console.for_agent:
                    config = replace(config, forward_console="errors")
                upstream = None
                if upstream_command:
                    upstream = stack.enter_context(_started(upstream_command, config, console))
                    origin = upstream.wait_for_origin(config.proxy)
                    config = replace(config, proxy=origin)
                config = _with_manifest_of_project(config)
            except ConfigError as error:
                click.echo(f"Error: {error}", err=True)
                sys.exit(MISUSED)
            from webagent_dev.server import runner

            interrupted = runner.serve(config, console, started_s=started_s, upstream=upstream)
    except ConfigError as error:
        # The address cannot be bound.
        raise click.ClickException(str(error)) from None
    finally:
        gc.enable()
    if interrupted:
        sys.exit(INTERRUPTED)
    if upstream and upstream.exit_code is not None:
        sys.exit(upstream.exit_code)


def _with_manifest_of_project(config: ServeConfig) -> ServeConfig:
    """Return a configuration that reads the manifest from where the upstream's framework has it."""
    if not config.proxy or config.manifest or config.manifest_command:
        return config
    from webagent_dev.site.project import manifest_of

    file = manifest_of(config.root)
    return config if file.parent == config.root else replace(config, manifest=file)


def _started(
    upstream_command: Sequence[str], config: ServeConfig, console: Console
) -> UpstreamProcess:
    """Return the site's own server, which every way out of this process ends."""
    from webagent_dev.server.upstream_process import UpstreamProcess
    from webagent_site.errors import ConfigError

    if config.spa:
        raise ConfigError(
            "`spa` is set and a command is given - its server answers all paths itself - leave `spa` out"
        )
    # Until the server handles them: without this, these signals would leave the command running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    return UpstreamProcess(upstream_command, console)
