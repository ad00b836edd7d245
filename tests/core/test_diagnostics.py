from webagent.diagnostics import Edit, Finding, Fix, Severity, finding_dict, render_text
from webagent.source import Source, Span

SOURCE = Source("# S\n\n## tool\n", "site/webagents.md")


NAME = Span(8, 12)


def finding(span: Span = NAME, fix: Fix | None = None) -> Finding:
    return Finding("a-rule", Severity.WARNING, "what", "remedy", span, "tool", fix)


def test_finding_as_json_data() -> None:
    """A finding crosses borders with 1-based lines and columns, and edits with offsets."""
    fix = Fix("mend it", (Edit(Span(12, 12), "!"),))

    assert finding_dict(finding(fix=fix), SOURCE) == {
        "rule": "a-rule",
        "severity": "warning",
        "message": "what",
        "help": "remedy",
        "path": "site/webagents.md",
        "span": {"start": {"line": 3, "column": 4}, "end": {"line": 3, "column": 8}},
        "tool": "tool",
        "fix": {
            "title": "mend it",
            "edits": [{"start_offset": 12, "end_offset": 12, "text": "!"}],
        },
    }


def test_tool_and_fix_are_left_out_when_there_is_none() -> None:
    """A finding without tool and fix has no such keys."""
    bare = Finding("a-rule", Severity.INFO, "what", "remedy", Span(0, 1))

    assert {"tool", "fix"}.isdisjoint(finding_dict(bare, SOURCE))


def test_text_shows_place_line_caret_and_help() -> None:
    """The terminal shows path, line, column, the line with carets under it, and the help."""
    assert render_text([finding()], SOURCE) == (
        "site/webagents.md:3:4: warning[a-rule]: what\n"
        " 3 | ## tool\n"
        "   |    ^^^^\n"
        "   = help: remedy\n"
    )


def test_control_characters_do_not_reach_the_terminal() -> None:
    """Escape sequences in a manifest are shown as replacement characters."""
    source = Source("\x1b[2Jx\ty")

    text = render_text([Finding("r", Severity.ERROR, "`\x1b[2J`", "h", Span(4, 5))], source)

    assert "\x1b" not in text
    assert " 1 | �[2Jx y\n   |     ^\n" in text


def test_color_is_by_request() -> None:
    """Escape codes are written only when asked for."""
    assert "\x1b[" not in render_text([finding()], SOURCE)
    assert "\x1b[1;33m" in render_text([finding()], SOURCE, color=True)


def test_a_long_line_is_cut_around_the_caret() -> None:
    """Of a line of a megabyte, a window with the place is shown."""
    source = Source("x" * 1_000_000)

    text = render_text([Finding("r", Severity.ERROR, "m", "h", Span(500_000, 900_000))], source)

    assert len(text) < 1000
    assert "^" in text


def test_a_finding_at_the_end_has_a_caret() -> None:
    """A span past the last character still points somewhere."""
    assert "^" in render_text([finding(Span(13, 13))], SOURCE)
