"""Closed parts of a page, as tools, programs, drivers and findings meet them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.offering import FUNCTION, HEAD, MANIFEST, component, opened, tools, until, write
from webagent.page.playwright import PlaywrightPage

FORM = '<form toolname="{}" tooldescription="d" toolautosubmit {}>{}<button>Send</button></form>'
FIELD = '<label>Words <input name="words" {}></label>'
LIST = '<label>Kind <select name="kind" {}><option>a<option {}>b</select></label>'


async def test_closed_forms_offer_no_tools(page: Page, tmp_path: Path, serve: Serve) -> None:
    """Neither an ignored or read-only form, nor one with such a field, choice or masked choices."""
    forms = {
        "open": FORM.format("open", "", FIELD.format("") + LIST.format("", "")),
        "masked_field": FORM.format("masked_field", "", FIELD.format("data-agent=mask")),
        "ignored": FORM.format("ignored", "data-agent=ignore", FIELD.format("")),
        "read_only": FORM.format("read_only", "data-agent=readonly", FIELD.format("")),
        "ignored_field": FORM.format("ignored_field", "", FIELD.format("data-agent=ignore")),
        "read_only_field": FORM.format("read_only_field", "", FIELD.format("data-agent=readonly")),
        "masked_list": FORM.format("masked_list", "", LIST.format("data-agent=mask", "")),
        "ignored_choice": FORM.format("ignored_choice", "", LIST.format("", "data-agent=ignore")),
    }
    html = HEAD + "".join(forms.values())
    server = serve(write(tmp_path / "site", {"index.html": html}))
    await opened(page, server.url)
    await until(page, "tools.length > 0")
    registered = await page.evaluate(
        "document.modelContext.getTools().then((all) => all.map((t) => t.name))"
    )

    assert sorted(await tools(page)) == ["masked_field", "open"]
    # The page's own interface is that of the standard.
    assert sorted(registered) == sorted(forms)


async def test_a_form_that_is_closed_later_cannot_be_called(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """The call looks again, as a script may have closed it since the list was made."""
    html = HEAD + FORM.format("contact", "onsubmit='window.sent = 1'", FIELD.format(""))
    server = serve(write(tmp_path / "site", {"index.html": html}))
    await opened(page, server.url)
    await until(page, "tools.length === 1")
    # In one task, so that the list is not made anew between the two.
    kind = await page.evaluate(
        """() => {
          document.querySelector('form').dataset.agent = 'readonly';
          return webagent.invoke('contact', {words: 'x'}).catch((e) => e.kind);
        }"""
    )

    assert kind == "missing_function"
    assert await page.evaluate("window.sent") is None


@pytest.mark.conformance
async def test_frames_pass_their_mode_to_the_tools_in_them(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Of frames of the own and of another origin, by scripts and components."""
    own = serve(write(tmp_path / "own", {}))
    other = serve(write(tmp_path / "other", {}), "--component-origin", own.url)
    script = """<script>for (const [name, readOnlyHint] of [["look_NAME", true], ["do_NAME", false]])
        document.modelContext.registerTool({ name, description: "d", annotations: { readOnlyHint },
          execute: async () => "told" }EXPOSED);</script>"""

    def inner(name: str, exposed: str = "") -> str:
        return HEAD + component(name) + script.replace("NAME", name).replace("EXPOSED", exposed)

    write(own.root, {
        "index.html": f"""{HEAD}<meta name="webmcp-origins" content="{other.url}">{component("top")}
            <iframe src=/open.html></iframe><iframe src=/ignored.html data-agent=ignore></iframe>
            <div data-agent=readonly><iframe src=/read.html></iframe></div>
            <iframe src=/masked.html data-agent=mask></iframe><x-host></x-host>
            <iframe src={other.url}/open_far.html allow=tools></iframe>
            <script>document.querySelector("x-host").attachShadow({{mode: "open"}}).innerHTML =
              '<p data-agent=ignore><iframe src={other.url}/ignored_far.html allow=tools></iframe></p>'</script>""",
        **{f"{name}.html": inner(name) for name in ("open", "ignored", "read", "masked")},
    })  # fmt: skip
    exposed = f', {{ exposedTo: ["{own.url}"] }}'
    write(
        other.root, {f"{name}.html": inner(name, exposed) for name in ("open_far", "ignored_far")}
    )
    await opened(page, own.url)
    await until(
        page,
        "tools.some((t) => t.name === 'open_far_add') && tools.some((t) => t.name === 'do_masked')",
    )
    await until(
        page,
        "tools.some((t) => t.name === 'look_open_far') && tools.some((t) => t.name === 'masked_add')",
    )
    watch.errors.clear()

    assert sorted(await tools(page)) == [
        "do_masked", "do_open", "do_open_far", "look_masked", "look_open", "look_open_far", "look_read",
        "masked_add", "open_add", "open_far_add", "top_add",
    ]  # fmt: skip
    assert await page.evaluate("webagent.call('do_open')") == "told"
    assert await page.evaluate("webagent.call('do_masked')") == "•••"
    assert await page.evaluate("webagent.call('masked_add', {id: 1})") == "•••"


async def test_programs_do_not_run_in_a_page_with_closed_parts(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """A program in the page itself could read all of it; in the sandbox it reaches tools alone."""
    html = f"{HEAD}<script>{FUNCTION}</script><p data-agent=ignore>NEVER</p>"
    server = serve(write(tmp_path / "site", {"index.html": html, "webagents.md": MANIFEST}))
    await opened(page, server.url)
    code = "return document.body.textContent"
    inside = await page.evaluate("code => webagent.execute(code, { isolation: 'page' })", code)
    sandbox = await page.evaluate("code => webagent.execute(code)", code)
    driven = PlaywrightPage(page)
    outside = await driven.run_code(
        code,
        tools={},
        call=lambda name, args: None,
        isolation="page",
        timeout_s=10,  # type: ignore[arg-type,return-value]
    )

    assert inside["error"]["kind"] == "denied"
    assert "closed parts of this page to agents" in inside["error"]["message"]
    assert outside.error is not None
    assert outside.error.kind == "denied"
    assert "document is not defined" in sandbox["error"]["message"]


async def test_a_misspelt_value_is_a_finding(page: Page, tmp_path: Path, serve: Serve) -> None:
    """In development the terminal and the page say that it closes nothing."""
    html = f"{HEAD}<script>{FUNCTION}</script><p data-agent=ignored>a</p><p data-agent='mask Readonly'>b</p>"
    server = serve(write(tmp_path / "site", {"index.html": html, "webagents.md": MANIFEST}))
    await opened(page, server.url)

    server.wait_for_output(r'warning\[unknown-agent-mode\].*`data-agent="ignored"`')
    found = await page.evaluate("webagent.findings().then((all) => all.map((f) => f.rule))")
    assert found.count("unknown-agent-mode") == 1


PICTURE = """<body style="margin:0;background:rgb(0,0,255)">
  <div style="height:50px;background:rgb(255,0,0)">open</div>
  <div data-agent=ignore style="height:50px;background:rgb(0,255,0);opacity:1;transition:opacity 9s">
    <b popover=manual id=top style="margin:0;border:0;inset:300px auto auto 0;width:50px;height:50px;background:rgb(0,255,0)"></b></div>
  <div data-agent=mask style="height:50px;background:rgb(0,255,0)">HIDE</div>
  <iframe style="display:block;border:0;width:100px;height:50px" srcdoc="<body style='margin:0;background:rgb(9,9,9)'><p data-agent=ignore style='margin:0;height:50px;background:rgb(0,255,0)'>"></iframe>
  <iframe style="display:block;border:0;width:100px;height:50px" src="OTHER/x.html"></iframe>
  <input value="HIDE" data-agent=mask style="display:block;border:0;padding:0;width:100px;height:50px;font:40px monospace;color:rgb(0,255,0);background:rgb(1,1,1)">
  <script>document.getElementById("top").showPopover()</script>"""


@pytest.mark.parametrize("marks", [False, True])
async def test_a_driver_takes_pictures_without_what_is_closed(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch, marks: bool
) -> None:
    """Neither closed parts nor frames that cannot be read are in it, and the page is as before."""
    other = serve(write(tmp_path / "other", {"x.html": "<body style='background:rgb(0,255,0)'>"}))
    html = HEAD + PICTURE.replace("OTHER", other.url)
    server = serve(write(tmp_path / "site", {"index.html": html}))
    await opened(page, server.url)
    before = await page.evaluate("document.body.innerHTML")
    port = PlaywrightPage(page)
    picture = await port.act({"type": "screenshot", "marks": marks})
    await port.close()
    (tmp_path / "picture.png").write_bytes(base64.b64decode(picture["data"]))
    colours = await page.evaluate(
        """async (data) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
            pen.drawImage(image, 0, 0);
            const { data: all } = pen.getImageData(0, 0, image.width, image.height);
            const seen = new Set();
            for (let i = 0; i < all.length; i += 4) seen.add([...all.slice(i, i + 3)].join());
            return [...seen];
        }""",
        picture["data"],
    )
    watch.errors.clear()

    assert "0,255,0" not in colours
    assert {"255,0,0", "0,0,255", "9,9,9", "1,1,1"} <= set(colours)
    assert await page.evaluate("document.body.innerHTML") == before
