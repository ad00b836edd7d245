"""`webagent-dev types`: the declarations of a manifest, for agents or for the site's own code."""

from __future__ import annotations

import re
from pathlib import Path

from webagent import generate_typescript
from webagent_dev.errors import UsageError
from webagent_dev.site.documents import read_manifest
from webagent_dev.terminal import Console

INTERFACE = "WebAgentTools"
"""Name of the interface that `--implement` declares."""

_GLOBAL = re.compile(
    r"^declare (const global: \{(.*?)\};)(\n\nexport \{\};)?\n\Z", re.MULTILINE | re.DOTALL
)
_SHARED = re.compile(r"^(?=(?:interface|type) )", re.MULTILINE)

_USAGE = """\
/*
 * The tools that webagents.md promises, for the code of the site. Written by
 * `webagent-dev types --implement`; after a change of the manifest, write it anew. Use it as:
 *
 *   import type { Implements, WebAgentTools } from "./webagent-tools";
 *
 *   const tools: Implements<WebAgentTools> = { … };
 *   Object.assign(globalThis, tools);
 *
 * Then the build fails when a function is missing, takes other arguments or returns something else.
 */

/** Functions that answer as declared; those that do not wait for anything need no promise. */
export type Implements<Tools> = {
  [Name in keyof Tools]: Tools[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer | Promise<Answer>
    : never;
};

"""


def run(target: str, console: Console, *, output: Path | None = None, implement: bool) -> int:
    """Write the declarations to a file or to the console; return the exit code, 0.

    Args:
        target: A path, a folder, an address or `-`.
        console: Where to write without `output`.
        output: The file to write.
        implement: Whether to write them for the code of the site instead of for agents.

    Raises:
        UsageError: The manifest cannot be read, or the file cannot be written.
    """
    text = generate_typescript(read_manifest(target), docs=True)
    text = implementation(text) if implement else ambient(text)
    if output is None:
        console.write(text)
        return 0
    try:
        output.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise UsageError(
            f"`{output}` cannot be written - {error.strerror or error} - "
            "write the path of a file in a folder that is there"
        ) from None
    return 0


def ambient(declarations: str) -> str:
    """Let other files of a program see `global`, where the declarations are a module."""
    return _GLOBAL.sub(
        lambda match: f"declare global {{ {match[1]} }}{match[3]}\n" if match[3] else match[0],
        declarations,
    )


def implementation(declarations: str) -> str:
    """Turn declarations for agents into a module with an interface for the site's code.

    Raises:
        UsageError: The manifest has a shared type with a name that is needed.
    """
    match = _GLOBAL.search(declarations)
    assert match is not None
    shared = _SHARED.sub("export ", declarations[: match.start()])
    for name in (INTERFACE, "Implements"):
        if re.search(rf"^export \w+ {name}\b", shared, re.MULTILINE):
            raise UsageError(
                f"`{name}` under `## Types` has the name of what is declared here - "
                "two types of one name are none - rename it in the manifest"
            )
    return f"{_USAGE}{shared}export interface {INTERFACE} {{{match[2]}}}\n"
