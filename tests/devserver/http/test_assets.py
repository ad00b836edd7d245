"""The page bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx

from webagent_site.http.assets import Assets


async def test_scripts_are_revalidated_and_other_files_are_immutable(
    client: httpx.AsyncClient,
) -> None:
    """A digest in the URL makes a file immutable."""
    script = await client.get("/__webagent__/webagent.js")
    wasm = await client.get("/__webagent__/assets/0123/a.wasm")
    again = await client.get(
        "/__webagent__/webagent.js", headers={"if-none-match": script.headers["etag"]}
    )

    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert script.headers["cache-control"] == "no-cache"
    assert again.status_code == 304
    assert wasm.headers["content-type"] == "application/wasm"
    assert wasm.headers["cache-control"] == "public, max-age=31536000, immutable"


async def test_a_missing_file_names_the_command_that_builds_it(
    client: httpx.AsyncClient, bundle: Path
) -> None:
    """One file, or all of them."""
    one = await client.get("/__webagent__/assets/0123/b.wasm")
    shutil.rmtree(bundle)
    everything = await client.get("/__webagent__/webagent.js")

    assert one.status_code == everything.status_code == 404
    assert "run `make bundle`" in one.text
    assert everything.text.startswith("the page bundle is not built")
    assert "run `make bundle`" in everything.text


async def test_the_sandbox_may_be_framed_by_this_site_alone(
    client: httpx.AsyncClient, bundle: Path
) -> None:
    """Its page has no origin wherever it is opened, and pages of other sites cannot frame it."""
    (bundle / "sandbox.html").write_text("<!doctype html>", encoding="utf-8")
    frame = {"sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate"}
    ours = await client.get(
        "/__webagent__/sandbox.html", headers={**frame, "sec-fetch-site": "same-origin"}
    )
    others = await client.get(
        "/__webagent__/sandbox.html", headers={**frame, "sec-fetch-site": "cross-site"}
    )

    assert ours.status_code == 200
    assert ours.headers["content-type"].startswith("text/html")
    assert (
        ours.headers["content-security-policy"] == "sandbox allow-scripts; frame-ancestors 'self'"
    )
    assert ours.headers["cross-origin-embedder-policy"] == "require-corp"
    assert others.status_code == 403


async def test_pages_with_an_embedder_policy_can_run_the_worker(
    client: httpx.AsyncClient, bundle: Path
) -> None:
    """The script of Python's worker says what such pages ask for; other scripts need not."""
    for name in ("python_worker.js", "boot.js"):
        (bundle / name).write_text("", encoding="utf-8")
    worker = await client.get("/__webagent__/python_worker.js")
    other = await client.get("/__webagent__/boot.js")

    assert worker.headers["cross-origin-embedder-policy"] == "require-corp"
    assert "cross-origin-embedder-policy" not in other.headers


async def test_nothing_outside_of_the_bundle_is_an_asset(client: httpx.AsyncClient) -> None:
    """Neither by dots nor by their codes; and the site has no say below this path."""
    for path in ("%2e%2e/shop/index.html", "..%2fshop%2findex.html", "", "/index.html"):
        response = await client.get(f"/__webagent__/{path}")

        assert response.status_code in (403, 404)


def test_the_build_is_what_the_bundle_says(bundle: Path) -> None:
    """Without a bundle, or with a broken one, it is empty."""
    assert Assets(bundle).build == "b1"
    assert Assets(bundle).missing is None

    (bundle / "bundle.json").write_text("[]", encoding="utf-8")

    assert Assets(bundle).build == ""
    assert Assets(bundle / "nothing").build == ""
    assert "make bundle" in (Assets(bundle / "nothing").missing or "")
