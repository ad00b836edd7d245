"""The names that types may use, and the TypeScript for words of other languages."""

from __future__ import annotations

import re

PRIMITIVES = frozenset(
    [
        "any",
        "bigint",
        "boolean",
        "never",
        "null",
        "number",
        "string",
        "symbol",
        "undefined",
        "unknown",
        "void",
    ]
)
"""Names of TypeScript's primitive types. `object` is in `OWN_WORDS`."""

LIBRARY: dict[str, tuple[int, int]] = {
    "Array": (1, 1),
    "ArrayBuffer": (0, 0),
    "Awaited": (1, 1),
    "Blob": (0, 0),
    "Date": (0, 0),
    "Element": (0, 0),
    "Error": (0, 0),
    "Exclude": (2, 2),
    "Extract": (2, 2),
    "File": (0, 0),
    "FormData": (0, 0),
    "HTMLElement": (0, 0),
    "Map": (2, 2),
    "NonNullable": (1, 1),
    "Omit": (2, 2),
    "Partial": (1, 1),
    "Pick": (2, 2),
    "Promise": (1, 1),
    "Readonly": (1, 1),
    "ReadonlyArray": (1, 1),
    "Record": (2, 2),
    "RegExp": (0, 0),
    "Required": (1, 1),
    "Response": (0, 0),
    "Set": (1, 1),
    "URL": (0, 0),
    "URLSearchParams": (0, 0),
}
"""Types of TypeScript's library, each with the fewest and most type arguments."""

RECORD = "Record<string, unknown>"

OWN_WORDS = {"object": RECORD, "array": "unknown[]"}
"""Words of the format itself, and the type that each stands for."""

INSTEAD = {
    "Boolean": "boolean",
    "Number": "number",
    "Object": RECORD,
    "String": "string",
    "bool": "boolean",
    "bytes": "string",
    "date": "string",
    "datetime": "string",
    "decimal": "number",
    "dict": RECORD,
    "dictionary": RECORD,
    "double": "number",
    "email": "string",
    "file": "File",
    "float": "number",
    "function": "(...args: unknown[]) => unknown",
    "hash": RECORD,
    "id": "string",
    "int": "number",
    "integer": "number",
    "json": "unknown",
    "list": "unknown[]",
    "long": "number",
    "map": RECORD,
    "none": "null",
    "str": "string",
    "text": "string",
    "timestamp": "string",
    "uri": "string",
    "url": "string",
    "uuid": "string",
}
"""Words of other languages, and the TypeScript that each means."""

GENERIC_INSTEAD = {"List": "Array", "Dict": "Record", "Dictionary": "Record", "Iterable": "Array"}
"""Generic names of other languages, and the TypeScript that each means."""

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
"""Words that cannot name a type, and words that start a type which the reader does not support."""

UNSUPPORTED = {
    "import": "names a module of the page's code, which agents do not see",
    "infer": "is only allowed after `extends`",
    "typeof": "names a value of the page's code, which agents do not see",
    "unique": "makes a symbol, which no result can hold",
}
"""Reasons why types that start with these words are not supported, for messages."""

_ARRAY_OF = re.compile(r"(?:an? )?(?:array|list) of ([A-Za-z]+)\Z", re.IGNORECASE)
_OF_ARRAY = re.compile(r"([A-Za-z]+) (?:array|list)\Z", re.IGNORECASE)


def instead(word: str) -> str | None:
    """Return the TypeScript for a word or phrase of another language.

    `integer` is `number`, and `array of strings` is `string[]`. None for TypeScript itself and for
    unknown words.
    """
    if word in PRIMITIVES or word in OWN_WORDS or word in LIBRARY:
        return None
    if word in INSTEAD:
        return INSTEAD[word]
    # `INTEGER` and `STRING` are common in documentation, `Any` in Python.
    if word.lower() in INSTEAD or word.lower() in PRIMITIVES | OWN_WORDS.keys():
        return INSTEAD.get(word.lower()) or OWN_WORDS.get(word.lower(), word.lower())
    match = _ARRAY_OF.match(word) or _OF_ARRAY.match(word)
    if match:
        # "array of strings" is about `string`, but `bytes` is singular.
        single = match[1].removesuffix("s") if match[1] not in INSTEAD else match[1]
        element = single if single in PRIMITIVES else OWN_WORDS.get(single) or instead(single)
        if element is not None:
            return f"({element})[]" if " " in element and "<" not in element else f"{element}[]"
    return None
