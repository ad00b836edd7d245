"""The tokens of JavaScript, with Node as the oracle: what we call an error, Node refuses."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from webagent.checks.sample_code.javascript import Kind, read_code

ROOT = Path(__file__).parents[4]
PARTS = [
    "a",
    "b2",
    "$c",
    "return",
    "await",
    "typeof",
    "in",
    "of",
    "1",
    "0x1f",
    ".5",
    "1e3",
    "10n",
    "'x'",
    '"y"',
    "'\\''",
    "`t`",
    "`a${",
    "}",
    "b`",
    "`${",
    "/x/",
    "`",
    "${",
    "}",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "+",
    "-",
    "*",
    "/",
    "/",
    "/=",
    ".",
    "?.",
    "...",
    ",",
    ";",
    ":",
    "?",
    "=",
    "=>",
    "==",
    "&&",
    "||",
    "??",
    "!",
    "++",
    "<",
    ">",
    "/re/g",
    "/[/]/",
    "/*",
    "c",
    "*/",
    "//",
    "\n",
    "\n",
    "'",
    '"',
    "if(a)",
    "global.f(",
]

VALID = [
    "",
    "await global.search('it\\'s', \"a \\\" b\");",
    "const r = /[/'\"`]/g.test(x) ? a / b / c : `${`${{}.x}`}`;",
    "if (a) /'/.test(b)\nx++ / 2; // it's\n/* \" */ y = z\n/ 2",
    "`a ${b ? `c ${d}` : '}'} e`",
    "f?.(a)?.[b]?.c; a ? .5 : 1; 1..toString(); [, a] = [1, , 2];",
    "const { x, ...rest } = await global.get(...args); return rest",
    "x = a => ({ [k]: v, 'm n': 1, f() {}, get g() { return 1 } })",
    "'line \\\ncontinued'",
    "label: for (const é of ü) { continue label }",
    "a\n'b'\n1\n`c`",
    "class A { #p = 1; static { } }",
    "return 1",
    "for (let i = 0; i < n; i++) { a(); }",
    "for await (const a of b()) c(function () { d; });",
    "x = function* () { yield* y; yield /re/ }",
]

FAULTS = [
    ('f("a)', 'the string that starts with `"` is never closed', '"a)'),
    ("f('a\nb')", "the string that starts with `'` is never closed", "'a"),
    ("`a ${b}", "the template that starts with a backtick is never closed", "`"),
    ("`a ${b", "the template is never closed", "`"),
    ("a /* b", "the comment that starts with `/*` is never closed", "/*"),
    ("a = /b", "the regular expression that starts here is never closed", "/"),
    ("f({ a: 1 )", "`)` comes while `{` is still open", ")"),
    ("f([\n1, 2)", "`)` comes while `[` of line 1 of the code is still open", ")"),
    ("f(1, 2", "`(` is never closed", "("),
    ("f([1;", "`;` comes while `[` is still open", ";"),
    ("f(1;\n2)", "`;` comes while `(` is still open", ";"),
    ("f())", "`)` closes nothing", ")"),
    (
        'f("a" "b")',
        '`"a"` and `"b"` are next to each other; a comma or an operator is missing',
        '"b"',
    ),
    ("f(1 2)", "`1` and `2` are next to each other; a comma or an operator is missing", "2"),
    ("global.", "", ""),
    ("f(a, b +)", "nothing follows `+`", "+"),
    ("global.('a')", "nothing follows `.`", "."),
    ("x = ;", "nothing follows `=`", "="),
]


def refused(programs: list[str]) -> list[bool]:
    """Return which programs Node refuses as the body of an asynchronous function."""
    script = """
    const programs = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const Body = (async () => {}).constructor;
    console.log(JSON.stringify(programs.map((code) => {
      try { new Body(code); return false } catch { return true }
    })));
    """
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=True,
    )
    answer: list[bool] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("code", VALID)
def test_valid_code_has_no_fault(code: str) -> None:
    """Strings, templates, regular expressions and comments are distinguished."""
    assert read_code(code).fault is None


@pytest.mark.parametrize(("code", "message", "place"), FAULTS)
def test_faults_are_named(code: str, message: str, place: str) -> None:
    """The first fault has a message and the place it is about."""
    fault = read_code(code).fault

    assert (fault.message if fault else "") == message
    assert fault is None or code[fault.start : fault.end] == place


def test_node_agrees_about_the_examples() -> None:
    """Node takes what is valid, and refuses what has a fault."""
    assert not any(refused(VALID))
    assert all(refused([code for code, message, _ in FAULTS if message]))


def test_node_refuses_programs_with_a_fault() -> None:
    """No random program that Node accepts has a fault."""
    chance = random.Random(20)
    programs = [
        " ".join(chance.choice(PARTS) for _ in range(chance.randint(1, 9))) for _ in range(20_000)
    ]
    wrong = [
        code
        for code, bad in zip(programs, refused(programs), strict=True)
        if not bad and read_code(code).fault is not None
    ]

    assert wrong == []


def test_the_template_has_no_fault() -> None:
    """Real code of a site is read to its end."""
    for path in (ROOT / "site_template" / "js").rglob("*.js"):
        assert read_code(path.read_text("utf-8")).fault is None, path


@pytest.mark.hostile
@pytest.mark.parametrize(
    "piece", ["(", "`${", "'", "/", "a /", "/*", "[)", "/[", "\\", "`", "${", "1 ", "}", "<!--"]
)
def test_long_code_is_read_in_linear_time(piece: str) -> None:
    """A quarter of a megabyte of any text takes no noticeable time and raises nothing."""
    read_code(piece * (250_000 // len(piece)))


def test_tokens_have_their_places() -> None:
    """A token is the text at its place."""
    text = "const a = `x${f(1)}y`; /r/.test(b)"
    tokens = read_code(text).tokens

    assert all(text.startswith(token.text, token.start) for token in tokens)
    assert [token.text for token in tokens if token.kind is Kind.TEMPLATE] == ["`x${", "}y`"]
    assert [token.text for token in tokens if token.kind is Kind.REGEX] == ["/r/"]
