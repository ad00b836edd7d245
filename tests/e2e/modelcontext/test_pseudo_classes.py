"""`:tool-form-active` and `:tool-submit-active` in the selectors of scripts."""

from __future__ import annotations

import pytest

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.forms import with_forms

pytestmark = pytest.mark.conformance

QUERIES = {
    "made.matches(':tool-form-active')": True,
    "made.matches('form:tool-form-active[toolname]')": True,
    "made.matches(':TOOL-Form-Active')": True,
    "made.webkitMatchesSelector(':tool-form-active')": True,
    "made.matches(':tool-submit-active')": False,
    "go().matches(':tool-submit-active')": True,
    "go().matches(':tool-form-active')": False,
    "go().closest(':tool-form-active') === made": True,
    "document.querySelector(':is(:tool-form-active, p)') === made": True,
    "document.querySelectorAll(':tool-form-active :tool-submit-active').length": 1,
    "made.parentNode.querySelector(':scope > :tool-form-active') === made": True,
    "made.querySelectorAll(':not(:tool-submit-active)').length": 1,
    "document.createDocumentFragment().querySelector(':tool-form-active')": None,
    "made.matches(`[toolname=':tool-form-active']`)": False,
}
REFUSED = [
    "made.matches('::tool-form-active')",
    "made.matches(':tool-form-activex')",
    "made.matches(':tool-form-active-x')",
    "made.matches(':tool-form-activeä')",
    "made.matches(':tool-form')",
    "made.querySelector()",
]


async def test_waiting(run: Run) -> None:
    """Each query finds the form that waits, and its button, and nothing once the call is over."""
    reads = ", ".join(QUERIES)
    code = f"""
        const made = await waiting();
        answer(made);
        const before = [made.matches(':tool-form-active'), go().matches(':tool-submit-active')];
        const box = await start();
        const seen = [{reads}];
        go().click();
        await box.over;
        return [before, seen, [made.matches(':tool-form-active'), go().matches(':tool-submit-active')]]"""
    nothing = [False, False]
    assert await with_forms(run)(code) == [nothing, [*QUERIES.values()], nothing]


@pytest.mark.parametrize("query", REFUSED)
async def test_refused(run: Run, query: str) -> None:
    """Other pseudo-classes are refused as before."""
    code = f"""
        const made = await waiting();
        try {{ {query}; return 'no error' }} catch (error) {{ return error.name }}"""
    expected = "TypeError" if query.endswith("()") else "SyntaxError"
    assert await with_forms(run)(code) == expected


async def test_shadow(run: Run) -> None:
    """A shadow tree is searched as well."""
    code = """
        const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});
        root.innerHTML = '<form toolname="t" tooldescription="d"><button>b</button></form>';
        await listed();
        await start();
        return [root.querySelector(':tool-form-active')?.localName, document.querySelector(':tool-form-active')]"""
    assert await with_forms(run)(code) == ["form", None]
