"""`webagent-dev types`: the declarations of a manifest, for agents or for the site's own code."""

from __future__ import annotations

import re
from pathlib import Path

import click

from webagent_dev.cli.candidates import files
from webagent_dev.cli.changes import write_output
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import output_option
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

INTERFACE = "WebAgentTools"
"""Name of the interface that `--implement` declares."""

_GLOBAL = re.compile(
    r"^declare (const global: \{(.*?)\};)(\n\nexport \{\};)?\n\Z", re.MULTILINE | re.DOTALL
)
_SHARED = re.compile(r"^(?=(?:interface|type) )", re.MULTILINE)

_USAGE = """\
/*
 * The tools that webagents.md promises, for the code of the site. Written by
 * `webagent-dev types --implement`; run it again after a change of the manifest. Use it as:
 *
 *   import type { Implements, WebAgentTools } from "./webagent-tools";
 *
 *   const tools: Implements<WebAgentTools> = { … };
 *   Object.assign(globalThis, tools);
 *
 * Then the build fails when a function is missing, takes other arguments or returns something else.
 */

/** Functions with the declared results; those that do not wait for anything need no promise. */
export type Implements<Tools> = {
  [Name in keyof Tools]: Tools[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer | Promise<Answer>
    : never;
};

"""


@click.command("types")
@click.argument("target", metavar="[PATH|URL]", default=".", shell_complete=files)
@output_option
@click.option("--implement", is_flag=True, help="Write an interface for the site's own code.")
@run_command
def command(console: Console, target: str, output: Path | None, implement: bool) -> int:
    """Write the TypeScript declarations of the tools.

    With --implement they are an interface, WebAgentTools. The build of the site can check its
    functions against it.

    \b
    Example:
      webagent-dev types my-site --implement -o my-site/webagent-tools.ts
    """
    from webagent import generate_typescript
    from webagent_dev.site.documents import read_manifest

    declarations = generate_typescript(read_manifest(target), docs=True)
    text = implementation(declarations) if implement else ambient(declarations)
    if output is None:
        console.write(text)
    else:
        write_output(output, text)
    return 0


def ambient(declarations: str) -> str:
    """Return declarations whose `global` other files see too, also where they are a module."""
    return _GLOBAL.sub(
        lambda match: f"declare global {{ {match[1]} }}{match[3]}\n" if match[3] else match[0],
        declarations,
    )


def implementation(declarations: str) -> str:
    """Return a module with an interface for the site's code, made of declarations for agents.

    Raises:
        UsageError: The manifest has a shared type of a name that the module needs.
    """
    match = _GLOBAL.search(declarations)
    assert match is not None
    shared = _SHARED.sub("export ", declarations[: match.start()])
    for name in (INTERFACE, "Implements"):
        if re.search(rf"^export \w+ {name}\b", shared, re.MULTILINE):
            raise UsageError(
                f"`{name}` under `## Types` has the name of a type that is declared here - "
                "two types cannot have one name - rename it in the manifest"
            )
    return f"{_USAGE}{shared}export interface {INTERFACE} {{{match[2]}}}\n"
