"""Manifests that nobody would write, for properties that have to hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from webagent import Manifest, Note, Param, Tool, parse

_WORDS = (
    "string number boolean any unknown void null undefined never object array bigint symbol Date "
    "int float str bool list dict true false 1 -1 0x1f 10n 'a' \"b\" `c` `d${string}` `e${Item}` "
    "Item Tree Page Loop Missing T K Array Promise Record Partial Required Readonly Pick Omit Map "
    "Set Exclude Extract NonNullable ReturnType Awaited Function Intl.Locale globalThis constructor"
)
WORDS = _WORDS.split()
"""Types, and what could be taken for one."""

_MARKS = (
    "| & ? [] [ ] { } ( ) < > , ; : = => ... . - + * / // /* */ ' \" ` ${ readonly keyof typeof "
    "infer extends new import asserts is in of abstract unique enum interface type # @ \\ \n"
)
MARKS = _MARKS.split(" ")
"""Text between types, valid and invalid."""

_NAMES = (
    "find findAll a b a class new constructor default this __proto__ toString user-id page.size "
    "$filter ...rest ids[] 2fa größe 名前 café \u2028 \u200d x(y) */ /* 'a' \"b\" `c` ${d} \\ < ; : "
    "eval arguments await async get set static readonly public type"
)
NAMES = _NAMES.split(" ")

TEXTS = (
    "Finds things.",
    "*/ evil(): void; /*",
    "src/**/*.ts",
    "@param a - b\n@returns {c}",
    "*\\/",
    "a\r\n\u2028b\x00\x1b[31m\ud800",
    "```\n## t\n```",
    "`${x}`",
    "<!-- -->",
    "",
)

TYPE_NOTES = (
    "```ts\ninterface Item { id: string; tree?: Tree }\ntype Tree = { children: Tree[] };\n```",
    "```ts\ntype Page<T> = { items: T[]; next?: Page<T> };\ntype Loop = Loop;\n```",
    "```ts\ninterface Item extends Missing { [key: string]: number; a: string }\n```",
    "```ts\nexport type K = keyof Item\nexport interface Item { 'a b': 1; f(x?: K): Page<K> }\n```",
    "```ts\ntype Item = Pick<Tree, 'a' | 'b'>; type Tree = Omit<Item, 'a'>;\n```",
    "```ts\ntype Item = {\n```",
    "no fence",
)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    key = st.sampled_from(["a", "b?", "readonly c", "'d e'", "1", "[k: string]", "constructor"])
    member = st.tuples(key, inner).map(": ".join)
    return st.one_of(
        inner.map("{}[]".format),
        inner.map("({})".format),
        inner.map("Array<{}>".format),
        inner.map("Promise<{}>".format),
        inner.map("Partial<{}>".format),
        inner.map("Page<{}>".format),
        inner.map("readonly {}[]".format),
        inner.map("keyof {}".format),
        pair.map(" | ".join),
        pair.map(" & ".join),
        pair.map(lambda p: f"Record<{p[0]}, {p[1]}>"),
        pair.map(lambda p: f"Map<{p[0]}, {p[1]}>"),
        pair.map(lambda p: f"Pick<{p[0]}, {p[1]}>"),
        pair.map(lambda p: f"(a: {p[0]}, ...b: {p[1]}) => {p[0]}"),
        pair.map(lambda p: f"[{p[0]}, x?: {p[1]}]"),
        pair.map(lambda p: f"{p[0]}[{p[1]}]"),
        st.lists(member, max_size=4).map(lambda m: f"{{ {'; '.join(m)} }}"),
    )


SOUND = ("string", "number", "boolean", "null", "'a'", "1", "Item", "Tree", "Date", "`a${number}`")

types = st.one_of(
    st.recursive(st.sampled_from(SOUND), _combined, max_leaves=4),
    st.recursive(st.sampled_from(WORDS), _combined, max_leaves=6),
    st.lists(st.sampled_from([*WORDS, *MARKS]), max_size=8).map(" ".join),
    st.lists(st.sampled_from(MARKS), max_size=6).map("".join),
)
"""Types: many that TypeScript has, some that only look like one, and some that do not."""

names = st.one_of(st.sampled_from(NAMES), st.text(max_size=6))
texts = st.one_of(st.sampled_from(TEXTS), st.text(max_size=20))

params = st.builds(
    Param,
    name=names,
    type=types,
    description=texts,
    required=st.booleans(),
    default=st.one_of(st.none(), texts),
)
tools = st.builds(
    Tool,
    name=names,
    description=texts,
    params=st.lists(params, min_size=1, max_size=5),
    returns=types,
    sample_code=texts,
    notes=st.lists(st.builds(Note, title=names, text=texts), max_size=1),
)
notes = st.one_of(
    st.builds(Note, title=st.just("Types"), text=st.sampled_from(TYPE_NOTES)),
    st.builds(Note, title=names, text=texts),
)
built = st.builds(
    Manifest,
    name=names,
    description=texts,
    tools=st.lists(tools, min_size=1, max_size=4),
    notes=st.lists(notes, min_size=1, max_size=3),
)
"""Manifests built by hand, from anything."""

PIECES = (
    "\n## find\n",
    "\n## Types\n",
    "\n### Params\n",
    "\n### Output\n",
    "\n### Input Schema\n",
    "\n### Output Schema\n",
    "\n```ts\n",
    "\n```\n",
    "\n````json\n",
    "\n````\n",
    "interface Item { id: string }\n",
    "async function find(q: string, n = 1): Promise<Item[]>",
    "| name | type |\n|---|---|\n| `t` | `Item \\| null` |\n",
    "*/",
    "<!--",
    "-->",
    "`",
    "> ",
    "- ",
)

SCHEMAS = (
    '{"type": "object", "properties": {"a b": {"enum": [1, "*/"]}, "class": true}}',
    '{"type": "array", "items": {"$ref": "#"}, "prefixItems": [false]}',
    '{"anyOf": [{"const": {"x": null}}, {"type": ["string", "null"]}], "$defs": {"Item": {}}}',
    '{"type": "object", "additionalProperties": {"type": "integer"}, "required": ["q"]}',
)


def _section(parts: tuple[str, str, str, str, str, str]) -> str:
    name, one, two, returns, schema, piece = parts
    return (
        f"\n## {name}\nd\n\n### Params\n- `q` ({one}, required): x\n"
        f"  - `inner` ({two}, optional): y\n* **r**: {two}\n\n{piece}\n\n"
        f"### Output\n```typescript\n{returns}\n```\n\n"
        f"### Output Schema\n```json\n{schema}\n```\n"
    )


def _signature(parts: tuple[str, str, str, str]) -> str:
    name, one, two, returns = parts
    return f"\n## s\n\n```ts\nfunction {name}(a: {one}, b?: {two}): {returns};\n```\n"


def _compact(parts: tuple[str, str, str]) -> str:
    one, two, returns = parts
    return f"\ntool: get(a, b={two})\n  params:\n    a: {one}?\n    b: {two}\n  output: {returns}\n"


sections = st.one_of(
    st.tuples(names, types, types, types, st.sampled_from(SCHEMAS), st.sampled_from(PIECES)).map(
        _section
    ),
    st.tuples(names, types, types, types).map(_signature),
    st.tuples(types, types, types).map(_compact),
    st.sampled_from(TYPE_NOTES).map("\n## Types\n\n{}\n".format),
    st.lists(st.sampled_from(PIECES), max_size=4).map("".join),
)
written = st.lists(sections, min_size=2, max_size=5).map("".join).map(parse)
"""Manifests read from Markdown in every format, with parts that do not belong there."""

manifests = st.one_of(built, written)
