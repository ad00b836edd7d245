import subprocess
import sys
from pathlib import Path

import pytest

from tests.compat.judge import judge
from tests.compat.page import PAGE, page
from tests.compat.programs import PROGRAMS, run_programs
from tests.compat.run import CASES, run_cases


@pytest.fixture(scope="module")
def problems() -> dict[str, str]:
    """Return what is wrong with each case here."""
    return judge(run_cases())


@pytest.fixture(scope="module")
def failures() -> dict[str, str]:
    """Return why each program failed here."""
    return run_programs()


@pytest.mark.parametrize("name", [case.id for case in CASES])
def test_every_case_holds(name: str, problems: dict[str, str]) -> None:
    """Each defect of the SDK is absent here."""
    assert not problems[name], problems[name]


@pytest.mark.parametrize("name", [program.__name__ for program in PROGRAMS])
def test_programs_of_the_sdk_run(name: str, failures: dict[str, str]) -> None:
    """A program written as the SDK documents it runs."""
    assert not failures[name], failures[name]


def test_ids_are_unique_and_titles_are_sentences() -> None:
    """Each case has an id of its own and says what it demands."""
    assert len({case.id for case in CASES}) == len(CASES)
    assert [case.id for case in CASES if not case.title.endswith(".")] == []


def test_the_page_is_in_step() -> None:
    """`docs/reference/compatibility.md` is what the cases say."""
    written = PAGE.read_text(encoding="utf-8")
    assert written == page().rstrip() + "\n", "run `python -m tests.compat.page`"


def test_the_cases_need_no_test_tools() -> None:
    """The cases load with nothing but the package and httpx, as the SDK's environment has them."""
    code = (
        "import sys, tests.compat.run, tests.compat.programs\n"
        "assert not {'pytest', 'hypothesis', 'markdown_it'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
