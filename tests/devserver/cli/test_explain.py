"""`webagent-dev explain`: the pages of the rules in the terminal."""

from __future__ import annotations

from click.testing import CliRunner

from webagent.rules import RULES
from webagent_dev.cli.main import main
from webagent_dev.config.live_rules import LIVE_RULES


def test_a_rule_is_explained() -> None:
    """With the reason, an example, and the remedy."""
    result = CliRunner().invoke(main, ["explain", "unclosed-fence"])

    assert result.exit_code == 0
    assert result.stdout.startswith("# unclosed-fence\n")
    for part in ("## What", "## Why", "## Example", "## Instead"):
        assert part in result.stdout


def test_without_a_rule_all_are_listed() -> None:
    """One line each."""
    lines = CliRunner().invoke(main, ["explain"]).stdout.splitlines()

    assert [line.split()[0] for line in lines] == [*RULES, *LIVE_RULES]


def test_an_unknown_rule_is_a_usage_error() -> None:
    """The nearest one is named."""
    result = CliRunner().invoke(main, ["explain", "unclosed-fences"])

    assert result.exit_code == 2
    assert result.stderr == ("Error: `unclosed-fences` is not a rule - write `unclosed-fence`\n")
