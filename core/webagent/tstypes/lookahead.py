"""What starts here: brackets of a type that only what follows tells apart."""

from __future__ import annotations

from webagent.tstypes.scanner import Tokens


def starts_label(tokens: Tokens) -> bool:
    """Look past a name: the label of an element goes on with `:` or `?:`."""
    if tokens.token.kind != "name":
        return False
    start = tokens.advance().start
    try:
        tokens.take("?")
        return tokens.at(":")
    finally:
        tokens.jump(start)


def starts_function(tokens: Tokens) -> bool:
    """Look past `(`: a function type goes on with `)`, `...`, or a name and `:`, `?`, `,`."""
    start = tokens.expect("(").start
    try:
        if tokens.at(")") or tokens.at("..."):
            return True
        if tokens.token.kind != "name":
            return False
        tokens.advance()
        if tokens.take(")"):
            return tokens.at("=>")
        return tokens.at(":") or tokens.at("?") or tokens.at(",")
    finally:
        tokens.jump(start)


def starts_mapped(tokens: Tokens) -> bool:
    """Look behind `{`, past `readonly` and `[`: a mapped type goes on with a name and `in`."""
    if tokens.token.text not in ("readonly", "+", "-", "["):
        return False
    if tokens.token.text in ("+", "-"):
        return True
    brace = tokens.last_end
    try:
        tokens.take("readonly")
        if not tokens.take("[") or tokens.token.kind != "name":
            return False
        tokens.advance()
        return tokens.at("in")
    finally:
        tokens.last_end = brace
        tokens.jump(brace)
