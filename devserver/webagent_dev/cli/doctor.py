"""`webagent-dev doctor`: says what of this machine is not as the commands need it."""

from __future__ import annotations

from webagent_dev.doctor import signs
from webagent_dev.terminal import Console, printable


def run(console: Console) -> int:
    """Write a line for each thing that was looked at; return 1 if one keeps a command from working."""
    code = 0
    for sign in signs():
        console.labelled(sign.name, printable(sign.text), "green" if sign.well else "red")
        code = code if sign.well else 1
    return code
