"""`webagent-dev fmt`: rewrites a manifest in the order and the form that all tools read."""

from __future__ import annotations

import click

from webagent_dev.cli.candidates import files
from webagent_dev.cli.changes import unified_diff, write_text
from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console


@click.command("fmt")
@click.argument("targets", metavar="[PATH]...", nargs=-1, shell_complete=files)
@click.option("--check", is_flag=True, help="Show what would change, and change nothing.")
@run_command
def command(console: Console, targets: tuple[str, ...], check: bool) -> int:
    """Rewrite manifests in one form and order.

    Files are changed in place; - is standard input, which is written to standard output. No word of
    yours is lost: a file that would lose one is left as it is, with the reason. The exit code is 1
    if a file is left, or would change under --check.

    \b
    Example:
      webagent-dev fmt --check my-site
    """
    from webagent_dev.site.documents import read_documents
    from webagent_dev.site.reprinting import NotFormatted, reprinted

    code = 0
    for document in read_documents(targets):
        try:
            text = reprinted(document)
        except NotFormatted as reason:
            console.line(f"{document.name}: left as it is: {reason}")
            code = 1
            continue
        changed = text.encode("utf-8") != document.data
        if check:
            if changed:
                before = document.data.decode("utf-8")
                console.write(unified_diff(before, text, document.name, label="formatted"))
                code = 1
        elif document.path is None:
            console.write(text)
        elif changed:
            write_text(document.path, text, "make it writable, or use `--check`")
            console.line(f"{document.name}: formatted")
    return code
