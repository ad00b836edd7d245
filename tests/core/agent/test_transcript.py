from tests.core.agent.stage import ORIGIN, READS, Stage, call, finish, tool

from webagent.agent import Done, Run, Said, Transcript
from webagent.agent.redact import Redactor
from webagent.registry.secrets import Mask, Secrets

MASK = Mask(Secrets(), Redactor())


async def test_a_run_reads_like_a_report(stage: Stage) -> None:
    """The Markdown has the goal, the plan, each action with its arguments, and the results."""
    driver = stage.driver(
        "I look first.", tool("search", query="Tolkien"), tool("away"), finish("one book")
    )

    await driver.run("find books")

    transcript = driver.transcript()
    assert transcript is not None
    text = transcript.to_markdown()
    assert text.startswith(f"# find books\n\nOn {ORIGIN}, ")
    assert "## Plan\n\nI will look around\n\n- look" in text
    assert "**Agent:** I look first." in text
    assert '### `search`\n\n```json\n{\n  "query": "Tolkien"\n}\n```' in text
    assert '"title": "The Hobbit"' in text
    assert "Failed (`denied`): `away` works on `/contact`" in text


def test_code_is_shown_as_code() -> None:
    """A program is in a fence that it cannot close."""
    run = Run("go", ORIGIN, plan=READS)
    run.entries = [Done(call("execute_js", code="// ```\nf()"), ORIGIN, "fine")]

    text = Transcript(run, MASK).to_markdown()

    assert "````js\n// ```\nf()\n````" in text


def test_a_transcript_has_no_keys() -> None:
    """A text like a key or a card number is masked in both forms."""
    run = Run("use sk-abcdefghijklmnopqrstuvwxyz123456", ORIGIN)
    run.entries = [Said("person", "my card is 4111 1111 1111 1111")]
    transcript = Transcript(run, MASK)

    for told in (str(transcript.to_dict()), transcript.to_markdown()):
        assert "sk-abc" not in told
        assert "my card is •••" in told
        assert "1111 1111" not in told


def test_a_price_that_is_unknown_is_called_so() -> None:
    """An unknown price is not shown as nothing."""
    run = Run("go", ORIGIN)
    run.spent.usd = None

    assert "an unknown price" in Transcript(run, MASK).to_markdown()


def test_the_data_of_a_transcript_is_the_run() -> None:
    """The JSON is what `Run.from_dict` reads."""
    run = Run("go", ORIGIN, plan=READS)
    run.entries = [Done(tool("search", query="x"), ORIGIN, [1, {"a": None}])]

    assert Run.from_dict(Transcript(run, MASK).to_dict()) == run
