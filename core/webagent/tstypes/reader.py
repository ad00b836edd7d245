"""From text to type nodes: recursive descent, one method per level of precedence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from webagent.source import Span
from webagent.tstypes.nodes import (
    Argument,
    ArrayType,
    Combined,
    Element,
    Function,
    Index,
    Indexed,
    LiteralType,
    Member,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
)
from webagent.tstypes.scanner import Tokens, TypeSyntaxError

MAX_DEPTH = 60
"""Types inside one another; no author writes more, and deeper ones would exhaust the stack."""


def read_type(text: str) -> Type:
    """Read a whole text as one type expression; a `;` may follow it.

    Raises:
        TypeSyntaxError: It is none, or one of a kind that is not understood.
    """
    reader = _Reader(text)
    node = reader.type()
    while reader.tokens.take(";"):
        pass
    if reader.tokens.token.kind != "end":
        raise reader.tokens.error("the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = Tokens(text)
        self.depth = 0

    def span(self, start: int) -> Span:
        return Span(start, self.tokens.last_end)

    def line_break(self) -> bool:
        """Whether a line ends between the last token and this one."""
        gap = self.tokens.text[self.tokens.last_end : self.tokens.token.start]
        return "\n" in gap or "\r" in gap

    def type(self) -> Type:
        start = self.tokens.token.start
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TypeSyntaxError("the type is nested too deeply", start, start + 1)
        node = self.combined("|", lambda: self.combined("&", self.operator))
        self.depth -= 1
        return node

    def combined(self, mark: str, inner: Callable[[], Type]) -> Type:
        start = self.tokens.token.start
        self.tokens.take(mark)
        types = [inner()]
        while self.tokens.take(mark):
            types.append(inner())
        if len(types) == 1:
            return types[0]
        return Combined("|" if mark == "|" else "&", tuple(types), self.span(start))

    def operator(self) -> Type:
        token = self.tokens.token
        if token.kind == "name" and token.text in ("keyof", "readonly"):
            self.tokens.advance()
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise TypeSyntaxError("the type is nested too deeply", token.start, token.end)
            inner = self.operator()
            self.depth -= 1
            if token.text == "readonly" and not isinstance(inner, ArrayType | Tuple):
                raise TypeSyntaxError(
                    "`readonly` stands before what is no array", token.start, token.end
                )
            operator: Literal["keyof", "readonly"] = (
                "keyof" if token.text == "keyof" else "readonly"
            )
            return Operator(operator, inner, self.span(token.start))
        return self.postfix()

    def postfix(self) -> Type:
        start = self.tokens.token.start
        node = self.primary()
        levels = 0
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
                return self.parenthesised()
            if token.text == "`":
                return self.template()
        raise self.tokens.error("a type")

    def name(self) -> Type:
        token = self.tokens.advance()
        if token.text in ("true", "false"):
            return LiteralType(token.text, self.span(token.start))
        if token.text in UNREADABLE:
            raise TypeSyntaxError(f"`{token.text}` starts no type", token.start, token.end)
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
        start = self.tokens.expect("{").start
        members: list[Member | Index] = []
        while not self.tokens.take("}"):
            members.append(self.member())
            ended = self.tokens.take(";") or self.tokens.take(",") or self.tokens.at("}")
            if not ended and not self.line_break():
                raise self.tokens.error("`;` or `}`")
        return Object(tuple(members), self.span(start))

    def member(self) -> Member | Index:
        readonly = False
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
        if self.tokens.token.kind == "number" and self.tokens.token.text.endswith("n"):
            raise self.tokens.error("the name of a property")
        return self.property(self.tokens.advance().text, readonly)

    def property(self, name: str, readonly: bool) -> Member:
        optional = self.tokens.take("?")
        if self.tokens.at("("):
            start = self.tokens.token.start
            arguments = self.arguments()
            self.tokens.expect(":")
            returns = self.type()
            return Member(name, Function(arguments, returns, self.span(start)), optional, readonly)
        self.tokens.expect(":")
        return Member(name, self.type(), optional, readonly)

    def tuple_type(self) -> Type:
        start = self.tokens.expect("[").start
        elements: list[Element] = []
        while not self.tokens.take("]"):
            if elements:
                self.tokens.expect(",")
                if self.tokens.take("]"):
                    break
            rest = self.tokens.take("...")
            name, optional = "", False
            node = self.type()
            if self.tokens.take("?"):
                optional = True
            if isinstance(node, Name) and not node.arguments and self.tokens.take(":"):
                name, node = node.name, self.type()
            elements.append(Element(node, name, optional, rest))
        return Tuple(tuple(elements), self.span(start))

    def parenthesised(self) -> Type:
        start = self.tokens.token.start
        if self._starts_function():
            arguments = self.arguments()
            self.tokens.expect("=>")
            returns = self.type()
            return Function(arguments, returns, self.span(start))
        self.tokens.expect("(")
        node = self.type()
        self.tokens.expect(")")
        return node

    def _starts_function(self) -> bool:
        """Look past `(`: a function type goes on with `)`, `...`, or a name and `:`, `?`, `,`."""
        start = self.tokens.expect("(").start
        try:
            if self.tokens.at(")") or self.tokens.at("..."):
                return True
            if self.tokens.token.kind != "name":
                return False
            self.tokens.advance()
            if self.tokens.take(")"):
                return self.tokens.at("=>")
            return self.tokens.at(":") or self.tokens.at("?") or self.tokens.at(",")
        finally:
            self.tokens.jump(start)

    def arguments(self) -> tuple[Argument, ...]:
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
            if self.tokens.take(":"):
                node = self.type()
            else:
                node = Name("unknown", (), Span(token.start, token.end))
            arguments.append(Argument(token.text, node, optional, rest))
        return tuple(arguments)

    def template(self) -> Type:
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
                if text[index] == "\\":
                    raise TypeSyntaxError("an escape in a template", index, index + 1)
                index += 1
        if index >= len(text):
            raise TypeSyntaxError("a template that is not closed", start, len(text))
        texts.append(text[begin:index])
        self.tokens.last_end = index + 1
        self.tokens.jump(index + 1)
        span = Span(start, index + 1)
        if not types:
            return LiteralType(text[start : index + 1], span)
        return Template(tuple(texts), tuple(types), span)


UNREADABLE = frozenset(
    [
        "abstract",
        "asserts",
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "declare",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "finally",
        "for",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "infer",
        "instanceof",
        "interface",
        "is",
        "let",
        "namespace",
        "new",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "satisfies",
        "static",
        "super",
        "switch",
        "throw",
        "try",
        "type",
        "typeof",
        "unique",
        "var",
        "while",
        "with",
        "yield",
    ]
)
"""Words that are no names of types, and words that start types not understood here."""
