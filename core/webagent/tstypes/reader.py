"""The reader of types: recursive descent, with one method per level of precedence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from webagent.source import Span
from webagent.tstypes.known_names import UNREADABLE, UNSUPPORTED
from webagent.tstypes.nodes import (
    Argument,
    ArrayType,
    Combined,
    Conditional,
    Element,
    Function,
    Index,
    Indexed,
    Infer,
    LiteralType,
    Mapped,
    Member,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
)
from webagent.tstypes.scanner import ESCAPE, Tokens, TypeSyntaxError, doc_before, remark_after

LONGEST = 100_000
"""Most characters of a type that is read. No author writes a longer one."""

MAX_DEPTH = 60
"""Most levels of types. No author writes more, and deeper ones would exhaust the stack."""

_ESCAPE = re.compile(ESCAPE)


def read_type(text: str) -> Type:
    """Return the type that a whole text is. A `;` may follow it.

    Raises:
        TypeSyntaxError: It is not a type, or of an unsupported kind, or too long or deep.
    """
    if len(text) > LONGEST:
        raise TypeSyntaxError(f"it is longer than {LONGEST:,} characters", LONGEST, len(text))
    reader = TypeReader(text)
    node = reader.type()
    while reader.tokens.take(";"):
        pass
    if reader.tokens.token.kind != "end":
        raise reader.tokens.error("the end")
    return node


class TypeReader:
    """Reads types from the tokens of a text."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.tokens = Tokens(text, start)
        self.depth = 0
        self.inferring = 0
        """Number of conditions whose `extends` part is being read; only there `infer` is allowed."""

    def span(self, start: int) -> Span:
        """Return the span from an offset to the end of the last token."""
        return Span(start, self.tokens.last_end)

    def line_break(self) -> bool:
        """Whether there is a line end between the last token and the current one."""
        gap = self.tokens.text[self.tokens.last_end : self.tokens.token.start]
        return "\n" in gap or "\r" in gap

    def type(self) -> Type:
        """Read a type of any kind."""
        start = self.tokens.token.start
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TypeSyntaxError("the type is nested too deeply", start, start + 1)
        node = self.combined("|", self.intersection)
        if self.tokens.at("extends") and not self.line_break():
            node = self.conditional(node, start)
        self.depth -= 1
        return node

    def conditional(self, check: Type, start: int) -> Type:
        """Read the rest of `A extends B ? C : D`, after the first type."""
        self.tokens.expect("extends")
        self.inferring += 1
        extends = self.combined("|", self.intersection)
        self.inferring -= 1
        self.tokens.expect("?")
        yes = self.type()
        self.tokens.expect(":")
        return Conditional(check, extends, yes, self.type(), self.span(start))

    def intersection(self) -> Type:
        """Read types joined by `&`, or a type that binds tighter."""
        token = self.tokens.token
        # A fast path for the most common part of a union.
        if token.kind == "string":
            self.tokens.advance()
            if self.tokens.token.text not in ("[", "&"):
                return LiteralType(token.text, Span(token.start, token.end))
            self.tokens.jump(token.start)
        return self.combined("&", self.operator)

    def combined(self, mark: str, inner: Callable[[], Type]) -> Type:
        """Read types separated by a mark, which may also precede the first.

        Args:
            mark: `|` or `&`.
            inner: Reads one of the types.
        """
        tokens = self.tokens
        start = tokens.token.start
        if tokens.token.text == mark:
            tokens.advance()
        first = inner()
        if tokens.token.text != mark:
            return first
        types = [first]
        while tokens.token.text == mark:
            tokens.advance()
            types.append(inner())
        return Combined("|" if mark == "|" else "&", tuple(types), self.span(start))

    def operator(self) -> Type:
        """Read `keyof T`, `readonly T[]` or a type that binds tighter."""
        token = self.tokens.token
        if token.kind == "name" and token.text in ("keyof", "readonly"):
            self.tokens.advance()
            # `keyof keyof …` recurses without `type`, so the depth is counted here, too.
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise TypeSyntaxError("the type is nested too deeply", token.start, token.end)
            inner = self.operator()
            self.depth -= 1
            if token.text == "readonly" and not isinstance(inner, ArrayType | Tuple):
                raise TypeSyntaxError(
                    "`readonly` is only allowed before an array or a tuple", token.start, token.end
                )
            operator: Literal["keyof", "readonly"] = (
                "keyof" if token.text == "keyof" else "readonly"
            )
            return Operator(operator, inner, self.span(token.start))
        return self.postfix()

    def postfix(self) -> Type:
        """Read a type and the brackets after it."""
        start = self.tokens.token.start
        node = self.primary()
        # Brackets nest the type without recursion here, but other functions recurse into it.
        levels = 0
        # In an object type a `[` in the next line is an index signature.
        while self.tokens.at("[") and not self.line_break():
            levels += 1
            if levels > MAX_DEPTH:
                raise TypeSyntaxError("the type is nested too deeply", start, start + 1)
            self.tokens.advance()
            if self.tokens.take("]"):
                node = ArrayType(node, self.span(start))
            else:
                index = self.type()
                self.tokens.expect("]")
                node = Indexed(node, index, self.span(start))
        return node

    def primary(self) -> Type:
        """Read a type without operators: a name, literal, object, tuple, template or `(…)`."""
        token = self.tokens.token
        if token.kind == "string" or token.kind == "number":
            self.tokens.advance()
            return LiteralType(token.text, self.span(token.start))
        if token.kind == "name":
            return self.name()
        if token.kind == "mark":
            if token.text == "-":
                self.tokens.advance()
                if self.tokens.token.kind != "number":
                    raise self.tokens.error("a number")
                number = self.tokens.advance()
                return LiteralType(f"-{number.text}", self.span(token.start))
            if token.text == "{":
                return self.object_type()
            if token.text == "[":
                return self.tuple_type()
            if token.text == "(":
                return self.parentheses()
            if token.text == "`":
                return self.template()
        raise self.tokens.error("a type")

    def name(self) -> Type:
        """Read a word: a literal, or a name with its type arguments."""
        token = self.tokens.advance()
        if token.text in ("true", "false"):
            return LiteralType(token.text, self.span(token.start))
        if token.text == "infer" and self.inferring and self.tokens.token.kind == "name":
            return Infer(self.tokens.advance().text, self.span(token.start))
        if token.text in UNREADABLE:
            why = UNSUPPORTED.get(token.text, "starts no type")
            raise TypeSyntaxError(f"`{token.text}` {why}", token.start, token.end)
        name = token.text
        while self.tokens.take("."):
            if self.tokens.token.kind != "name":
                raise self.tokens.error("a name")
            name += f".{self.tokens.advance().text}"
        arguments: list[Type] = []
        if self.tokens.take("<"):
            arguments.append(self.type())
            while self.tokens.take(","):
                arguments.append(self.type())
            self.tokens.expect(">")
        return Name(name, tuple(arguments), self.span(token.start))

    def object_type(self) -> Type:
        """Read an object type or a mapped type."""
        start = self.tokens.expect("{").start
        if starts_mapped_type(self.tokens):
            return self.mapped_type(start)
        members: list[Member | Index] = []
        while not self.tokens.at("}"):
            gap = self.tokens.gap
            doc = doc_before(gap) if "/" in gap else ""
            member = self.member()
            ended = self.tokens.take(";") or self.tokens.take(",") or self.tokens.at("}")
            if not ended and not self.line_break():
                raise self.tokens.error("`;` or `}`")
            if isinstance(member, Member) and (doc := doc or remark_after(self.tokens.gap)):
                member = replace(member, doc=doc)
            members.append(member)
        self.tokens.expect("}")
        return Object(tuple(members), self.span(start))

    def mapped_type(self, start: int) -> Type:
        """Read the rest of `{ [K in Keys]: T }`, after the brace."""
        readonly = self._mark("readonly")
        self.tokens.expect("[")
        key_name = self.tokens.advance().text
        self.tokens.expect("in")
        keys = self.type()
        self.tokens.expect("]")
        optional = self._mark("?")
        self.tokens.expect(":")
        node = self.type()
        self.tokens.take(";")
        self.tokens.expect("}")
        return Mapped(key_name, keys, node, readonly, optional, self.span(start))

    def _mark(self, word: str) -> str:
        """Read a word with an optional `+` or `-` before it, and return it; empty if it is not there."""
        sign = self.tokens.token.text
        if sign in ("+", "-"):
            self.tokens.advance()
            self.tokens.expect(word)
            return f"{sign}{word}"
        return word if self.tokens.take(word) else ""

    def member(self) -> Member | Index:
        """Read a property, a method or an index signature."""
        readonly = False
        # `readonly` may also be the name of the property.
        if self.tokens.at("readonly"):
            word = self.tokens.advance()
            readonly = not (self.tokens.at(":") or self.tokens.at("?") or self.tokens.at("("))
            if not readonly:
                return self.property(word.text, readonly=False)
        if self.tokens.take("["):
            if self.tokens.token.kind != "name":
                raise self.tokens.error("the name of a key")
            key_name = self.tokens.advance().text
            self.tokens.expect(":")
            key = self.type()
            self.tokens.expect("]")
            self.tokens.expect(":")
            return Index(key_name, key, self.type(), readonly)
        if self.tokens.token.kind not in ("name", "string", "number"):
            raise self.tokens.error("the name of a property")
        # JavaScript allows numbers as names, but not a `bigint`.
        if self.tokens.token.kind == "number" and self.tokens.token.text.endswith("n"):
            raise self.tokens.error("the name of a property")
        return self.property(self.tokens.advance().text, readonly)

    def property(self, name: str, readonly: bool) -> Member:
        """Read the rest of a property or method, after its name."""
        optional = self.tokens.take("?")
        if self.tokens.at("("):
            start = self.tokens.token.start
            arguments = self.arguments()
            self.tokens.expect(":")
            returns = self.return_type()
            return Member(name, Function(arguments, returns, self.span(start)), optional, readonly)
        self.tokens.expect(":")
        return Member(name, self.type(), optional, readonly)

    def tuple_type(self) -> Type:
        """Read a tuple."""
        start = self.tokens.expect("[").start
        elements: list[Element] = []
        while not self.tokens.take("]"):
            if elements:
                self.tokens.expect(",")
                if self.tokens.take("]"):
                    break
            rest = self.tokens.take("...")
            name, optional = "", False
            if starts_label(self.tokens):
                name = self.tokens.advance().text
                optional = self.tokens.take("?")
                self.tokens.expect(":")
            node = self.type()
            optional = optional or (not name and self.tokens.take("?"))
            elements.append(Element(node, name, optional, rest))
        return Tuple(tuple(elements), self.span(start))

    def parentheses(self) -> Type:
        """Read a function, or a type in parentheses."""
        start = self.tokens.token.start
        if starts_function(self.tokens):
            arguments = self.arguments()
            self.tokens.expect("=>")
            returns = self.return_type()
            return Function(arguments, returns, self.span(start))
        self.tokens.expect("(")
        node = self.type()
        self.tokens.expect(")")
        return node

    def return_type(self) -> Type:
        """Read the return type of a function.

        `x is T` becomes `boolean` and `asserts x` becomes `void`, which is what a caller gets.
        """
        token = self.tokens.token
        if token.kind != "name":
            return self.type()
        asserts = token.text == "asserts"
        self.tokens.advance()
        named = self.tokens.token.kind == "name" and not self.line_break()
        if named and asserts:
            self.tokens.advance()
        if named and self.tokens.take("is"):
            self.type()
        elif not (named and asserts):
            self.tokens.jump(token.start)
            return self.type()
        return Name("void" if asserts else "boolean", (), self.span(token.start))

    def arguments(self) -> tuple[Argument, ...]:
        """Read the parameters of a function, with their parentheses."""
        self.tokens.expect("(")
        arguments: list[Argument] = []
        while not self.tokens.take(")"):
            if arguments:
                self.tokens.expect(",")
                if self.tokens.take(")"):
                    break
            rest = self.tokens.take("...")
            if self.tokens.token.kind != "name":
                raise self.tokens.error("the name of a parameter")
            token = self.tokens.advance()
            optional = self.tokens.take("?")
            # Without a type TypeScript infers `any`; `unknown` is the safe one.
            if self.tokens.take(":"):
                node = self.type()
            else:
                node = Name("unknown", (), Span(token.start, token.end))
            arguments.append(Argument(token.text, node, optional, rest))
        return tuple(arguments)

    def template(self) -> Type:
        """Read a template literal type. Its texts are not tokens, so they are read by hand."""
        start = self.tokens.token.start
        text = self.tokens.text
        texts, types, begin, index = [], [], start + 1, start + 1
        while index < len(text) and text[index] != "`":
            if text.startswith("${", index):
                texts.append(text[begin:index])
                self.tokens.jump(index + 2)
                types.append(self.type())
                if not self.tokens.at("}"):
                    raise self.tokens.error("`}`")
                begin = index = self.tokens.token.end
            else:
                escape = _ESCAPE.match(text, index) if text[index] == "\\" else None
                if text[index] == "\\" and escape is None:
                    raise TypeSyntaxError("an invalid escape", index, index + 1)
                index = escape.end() if escape else index + 1
        if index >= len(text):
            raise TypeSyntaxError("a template that is not closed", start, len(text))
        texts.append(text[begin:index])
        self.tokens.last_end = index + 1
        self.tokens.jump(index + 1)
        span = Span(start, index + 1)
        if not types:
            return LiteralType(text[start : index + 1], span)
        return Template(tuple(texts), tuple(types), span)


def starts_label(tokens: Tokens) -> bool:
    """Whether a name is the label of a tuple's element, with `:` or `?:` after it."""
    if tokens.token.kind != "name":
        return False
    start = tokens.advance().start
    try:
        tokens.take("?")
        return tokens.at(":")
    finally:
        tokens.jump(start)


def starts_function(tokens: Tokens) -> bool:
    """Whether `(` starts a function type.

    Then `)`, `...`, or a name with `:`, `?`, `,` or `) =>` follows.
    """
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


def starts_mapped_type(tokens: Tokens) -> bool:
    """Whether the brace before the current token starts a mapped type: `[K in` follows."""
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
