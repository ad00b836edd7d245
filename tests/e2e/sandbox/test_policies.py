"""Sites with policies of their own can run programs, or get an error that says what to allow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

from tests.e2e.sandbox.conftest import Site, run


@pytest.fixture(name="site")
def _site(scripts: Path) -> Iterator[Site]:
    """A site of the test's own, whose policy it may set."""
    site = Site(scripts)
    yield site
    site.stop()


async def result_of(context: BrowserContext, site: Site, code: str, **options: object) -> dict:
    page = await context.new_page()
    await page.goto(site.url)
    await page.wait_for_function("window.run !== undefined")
    result = await run(page, code, **options)
    await page.close()
    return result


@pytest.mark.parametrize(
    "policy",
    [
        "default-src 'self'",
        "default-src 'none'; script-src 'self'; frame-src 'self'",
        "default-src 'none'; script-src 'self'; child-src 'self'",
        "default-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
    ],
)
async def test_programs_run_under_strict_policies(
    context: BrowserContext, site: Site, policy: str
) -> None:
    """Neither `unsafe-eval` nor `unsafe-inline` nor `blob:` is needed."""
    site.policy = policy
    result = await result_of(context, site, "const a: number = await global.add(1, 2); a")

    assert result["value"] == 3, result


async def test_a_policy_without_frames_is_named(context: BrowserContext, site: Site) -> None:
    """Where the site's policy forbids the frame, the error says what to add to it."""
    site.policy = "default-src 'none'; script-src 'self'; frame-src 'none'"
    result = await result_of(context, site, "1")

    assert result["error"] == {
        "kind": "sandbox",
        "message": "the page's content security policy forbids the frame that programs run in",
        "help": "add 'self' to its frame-src",
    }


async def test_a_missing_file_is_named(context: BrowserContext, site: Site) -> None:
    """Where `sandbox.html` is not found, the error names its address."""
    result = await result_of(context, site, "1", base=f"{site.url}/elsewhere/")

    assert result["error"]["kind"] == "sandbox"
    assert f"{site.url}/elsewhere/sandbox.html" in result["error"]["message"]


@pytest.mark.chromium("Firefox takes a frame without an origin for another site's")
async def test_a_page_that_is_cross_origin_isolated_can_run_programs(
    context: BrowserContext, site: Site
) -> None:
    """The frame may be embedded where everything embedded has to say so."""
    site.embedder_policy = "require-corp"
    result = await result_of(context, site, "typeof SharedArrayBuffer")

    assert result["value"] == "undefined", result


async def test_the_page_variant_says_when_code_is_forbidden(
    context: BrowserContext, site: Site
) -> None:
    """With `isolation: "page"` a policy without `unsafe-eval` is an error of the kind `sandbox`."""
    result = await result_of(context, site, "1", isolation="page")

    assert result["error"]["kind"] == "sandbox"
    assert "'unsafe-eval'" in result["error"]["help"]
