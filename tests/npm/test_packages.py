"""The packages of npm in fresh projects: served, built, typed and called in Chromium."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.chromium import ARGS, find_chromium
from tests.npm.conftest import FILES, ROOT, Project, new_project

pytestmark = [pytest.mark.conformance, pytest.mark.process, pytest.mark.timeout(600)]

VITE = "vite/bin/vite.js"
MANIFEST = "public/webagents.md"
TEXT = (FILES / "any" / MANIFEST).read_text("utf-8")
BROKEN = TEXT.replace("(string, required)", "(string, required")

TEAS = "webagent.call('findTeas', 'a').catch((error) => error.kind)"
ALL = [{"id": "assam", "name": "Assam Breakfast"}, {"id": "sencha", "name": "Sencha Green"}]


@pytest.fixture(scope="module", name="react")
def _react(tmp_path_factory: pytest.TempPathFactory, tarballs: dict[str, Path]) -> Project:
    folder = tmp_path_factory.mktemp("react") / "teas"
    names = ("vite-plugin-webagent", "webagent-react", "webagent-playwright")
    return new_project(folder, "react-ts", tarballs, *names, other="@playwright/test@1.65.1")


@pytest.fixture(scope="module", name="vue")
def _vue(tmp_path_factory: pytest.TempPathFactory, tarballs: dict[str, Path]) -> Project:
    folder = tmp_path_factory.mktemp("vue") / "teas"
    return new_project(folder, "vue-ts", tarballs, "vite-plugin-webagent", "webagent-vue")


@pytest.fixture(params=["react", "vue"], name="project")
def _project(request: pytest.FixtureRequest) -> Project:
    project: Project = request.getfixturevalue(request.param)
    return project


def follow_component(tab: Page) -> None:
    """The tool sees the state of its component, and is there as long as that is."""
    assert tab.evaluate(TEAS) == ALL
    tab.get_by_text("Buy 2").click()
    tab.get_by_text("Buy 1").wait_for()
    assert tab.evaluate(TEAS) == ALL[1:]
    tab.get_by_text("Close").click()
    tab.get_by_text("Buy 1").wait_for(state="detached")
    assert tab.evaluate(TEAS) == "missing_function"


def test_a_tool_lives_with_its_component(project: Project, tab: Page) -> None:
    """In Vite's own server, whose terminal has nothing to complain about."""
    with project.serving(VITE) as url:
        tab.goto(url)
        follow_component(tab)
    assert "error" not in project.output.lower()


def test_a_component_that_is_kept_alive_offers_its_tool_again(vue: Project, tab: Page) -> None:
    """Vue keeps its state meanwhile."""
    with vue.serving(VITE) as url:
        tab.goto(url)
        follow_component(tab)
        tab.get_by_text("Open").click()
        tab.get_by_text("Buy 1").wait_for()
        assert tab.evaluate(TEAS) == ALL[1:]


def test_a_save_reaches_the_open_page(react: Project, tab: Page) -> None:
    """Without a reload: mistakes as Vite's overlay and in the terminal, then the new manifest and types."""
    try:
        with react.serving(VITE) as url:
            tab.goto(url)
            tab.evaluate("window.mark = 1")
            tab.evaluate("webagent.ready")
            react.write(MANIFEST, BROKEN)
            overlay = tab.locator("vite-error-overlay")
            overlay.wait_for()
            shown = overlay.locator(".window").inner_text()
            assert "the parenthesis after `word` is never closed" in shown
            assert "public/webagents.md:11:4" in shown
            react.until("server.log", "public/webagents.md:11:4 error the parenthesis")

            late = tab.context.new_page()
            late.goto(url)
            late.locator("vite-error-overlay").wait_for()
            late.close()

            react.write(MANIFEST, TEXT.replace("(string, required)", "(number, required)"))
            overlay.wait_for(state="detached")
            tab.wait_for_function(
                "async () => (await webagent.typescript()).includes('word: number')"
            )
            react.until("src/webagents.d.ts", "findTeas(word: number)")
            assert tab.evaluate("window.mark") == 1
    finally:
        react.write(MANIFEST, TEXT)
        (react.folder / "src/webagents.d.ts").unlink(missing_ok=True)


def test_a_built_site_has_the_agent(project: Project, tab: Page) -> None:
    """Under a base path too; types are checked by the project's own build."""
    project.run("npm", "run", "build")
    with project.serving(VITE, "preview") as url:
        tab.goto(url)
        follow_component(tab)
    page = project.read("dist/index.html")
    names = re.findall(r'src="/webagent/[0-9a-f]{16}/(\w+\.js)" integrity="sha384-', page)
    assert names == ["global.js", "webagent.js"]
    assert '<meta name="webagents-md" content="/webagents.md">' in page
    assert project.read("dist/webagents.md") == TEXT
    assert not list((project.folder / "dist").rglob("dev.js"))

    project.write(MANIFEST, f"{TEXT}- paths: /, /all/*\n")
    try:
        project.node(VITE, "build", "--base", "/app/")
    finally:
        project.write(MANIFEST, TEXT)
    assert "- paths: /app/, /app/all/*" in project.read("dist/webagents.md")
    with project.serving(VITE, "preview", "--base", "/app/") as url:
        tab.goto(f"{url}app/")
        follow_component(tab)


def test_a_relative_base_is_relative_to_each_page(
    react: Project, tab: Page, tmp_path: Path
) -> None:
    """The built site works in any folder of a static host."""
    react.node(VITE, "build", "--base", "./")
    shutil.copytree(react.folder / "dist", tmp_path / "site" / "deep" / "app")
    host = Project(react.folder)
    with host.serving(VITE, "preview", "--outDir", str(tmp_path / "site")) as url:
        tab.goto(f"{url}deep/app/index.html")
        follow_component(tab)


def test_a_manifest_with_errors_is_not_built(react: Project) -> None:
    """The build says where they are."""
    react.write(MANIFEST, BROKEN)
    try:
        said = react.node(VITE, "build", fails=True)
    finally:
        react.write(MANIFEST, TEXT)
    assert "public/webagents.md:11:4 error the parenthesis after `word`" in said


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("globalThis.findTeas = async (word) => [{ id: word, name: '' }]", ""),
        ("globalThis.findTeas = async (word: number) => []", "not assignable"),
        ("globalThis.findTeas = (word) => [{ id: word }]", "'name' is missing"),
        ("import { useTool } from 'webagent-react'\nuseTool('findTeas', (word) => [])", ""),
        ("import { useTool } from 'webagent-react'\nuseTool('findTea', () => [])", "not assignable"),
        ("import { useTool } from 'webagent-react'\nuseTool('findTeas', () => 5)", "not assignable"),
        ("import 'webagent-page'\nconst state: string = (await webagent.run('x')).text", ""),
        ("import 'webagent-page'\nglobal.findTeas('a').then", "does not exist"),
        ("import 'webagent-page'\nawait global.findTeas('a')", ""),
        ("import 'webagent-page'\nwebagent.replaceManifest", "does not exist"),
        ("import 'webagent-page'\nwebagent.addEventListener('agent', (e) => e.detail.run_id)", ""),
        ("import 'webagent-page'\nwebagent.addEventListener('agent', (e) => e.detail.nix)", "'nix'"),
        ("import 'webagent-page'\nawait document.modelContext?.getTools()", ""),
        ("import { loadAgent } from 'webagent-page'\nvoid loadAgent('/a', { panel: 'on' })", ""),
        ("import { loadAgent } from 'webagent-page'\nvoid loadAgent('/a', { panel: 'x' })", "'\"x\"'"),
        ("import 'virtual:webagent'\n/// <reference types='vite-plugin-webagent/client' />", "Cannot"),
        ("/// <reference types='vite-plugin-webagent/client' />\nimport 'virtual:webagent'", ""),
    ],
)  # fmt: skip
def test_types(react: Project, code: str, wrong: str) -> None:
    """The compiler of the project refuses code that does not fit the manifest or the agent."""
    react.node(VITE, "build")
    file = react.write("src/tried.ts", f"{code}\nexport {{}}\n")
    try:
        said = react.node(
            "typescript/lib/tsc.js", "-p", "tsconfig.app.json", "--noUnusedLocals", "false",
            "--noUnusedParameters", "false", "--pretty", "false", fails=bool(wrong),
        )  # fmt: skip
    finally:
        file.unlink()
    assert wrong in said
    assert all(line.startswith(("src/tried.ts", " ")) for line in said.splitlines())


def test_on_a_server_nothing_happens(react: Project, vue: Project) -> None:
    """Components that offer tools render to HTML in Node, and nothing is a global there."""
    react.write(
        "ssr.mjs",
        "import { createElement } from 'react';\n"
        "import { renderToString } from 'react-dom/server';\n"
        "import { useTool } from 'webagent-react';\n"
        "const App = () => (useTool('findTeas', () => []), createElement('p', null, 'tea'));\n"
        "console.log(renderToString(createElement(App)), 'findTeas' in globalThis);\n",
    )
    vue.write(
        "ssr.mjs",
        "import { createSSRApp, h } from 'vue';\n"
        "import { renderToString } from 'vue/server-renderer';\n"
        "import { useTool } from 'webagent-vue';\n"
        "const app = createSSRApp({ setup: () => (useTool('findTeas', () => []), () => h('p', 'tea')) });\n"
        "console.log(await renderToString(app), 'findTeas' in globalThis);\n",
    )
    for project in (react, vue):
        assert project.run("node", "ssr.mjs") == "<p>tea</p> false\n"


def test_a_static_site_without_a_bundler(
    tarballs: dict[str, Path], tab: Page, tmp_path: Path
) -> None:
    """The command writes the bundle; a module of the page loads it, once."""
    site = new_project(tmp_path / "site", None, tarballs, other="vite@8.4.0")
    said = site.node("webagent-page/dist/command.js", "public")
    place = re.search(r'src="/(webagent/[0-9a-f]{16})/webagent\.js"', said)
    assert place, said
    site.write("public/webagents.md", TEXT)
    site.write("public/page.js", site.read("node_modules/webagent-page/dist/index.js"))
    site.write(
        "public/index.html",
        "<!doctype html><title>Teas</title><link rel=icon href=data:,><script type=module>\n"
        "import { loadAgent } from './page.js';\n"
        "globalThis.findTeas = (word) => [{ id: word, name: 'Tea' }];\n"
        f"globalThis.agents = await Promise.all([1, 2].map(() =>\n"
        f"  loadAgent('/{place[1]}', {{ manifest: '/webagents.md', start: 'now' }})));\n"
        "</script>\n",
    )
    with site.serving(VITE, "preview", "--outDir", "public") as url:
        tab.goto(url)
        tab.wait_for_function("globalThis.agents")
        assert tab.evaluate("agents[0] === agents[1] && agents[0] === webagent")
        assert tab.evaluate(TEAS) == [{"id": "a", "name": "Tea"}]
    assert site.node("webagent-page/dist/command.js", fails=True).startswith("usage:")


SPEC = """
import { expect, test } from "webagent-playwright";

test("a tool", async ({ page, tools }) => {
  const found = await tools.findTeas("assam");
  expect(found[0]?.name).toBe("Assam Breakfast");
  expect(await tools.invoke("findTeas", { word: "sencha" })).toHaveLength(1);
  expect(await tools.names()).toEqual(["findTeas"]);
  expect(await tools.run("(await global.findTeas('a')).length")).toBe(2);
  await expect(page).toKeepManifest();
  await expect(found).toMatchType("{ id: string; name: string }[]");
  await expect(found).not.toMatchType("{ id: number }[]");
});

test("calls that fail", async ({ page, tools }) => {
  expect((await tools.fails("findTeas", [5], "invalid_arguments")).message).toContain("word");
  await expect(tools.call("findTeas")).rejects.toThrow("`findTeas()` failed with `invalid_arguments`");
  await page.evaluate(() => {
    (globalThis as any).findTeas = (word: string) => [{ id: word }];
  });
  await expect(tools.findTeas("a")).rejects.toThrow("at [0].name");
  await page.evaluate(() => {
    delete (globalThis as any).findTeas;
  });
  await expect(page).not.toKeepManifest({ timeout: 200 });
});

test("a goal", async ({ agent }) => {
  const { text, calls } = await agent.run("find teas: assam");
  expect(calls.map(({ name }) => name)).toEqual(["findTeas"]);
  expect(text).toContain("Assam");
  const outcome = await agent.run("dance", { check: false });
  expect(outcome.ok).toBe(false);
  await expect(agent.run("dance")).rejects.toThrow("the agent did not reach its goal");
});
"""

CONFIG = """
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  workers: 1,
  use: {
    baseURL: process.env["SITE"],
    launchOptions: { executablePath: CHROMIUM, args: ARGS },
  },
});
"""


def playwright_config(chromium: Browser) -> str:
    path = find_chromium() or chromium.browser_type.executable_path
    return CONFIG.replace("CHROMIUM", json.dumps(path)).replace("ARGS", json.dumps(ARGS))


def run_tests(project: Project, url: str) -> str:
    return project.run("env", f"SITE={url}", "node", "node_modules/@playwright/test/cli.js", "test")


def test_the_fixtures_of_playwright(react: Project, chromium: Browser) -> None:
    """In a run of its own runner, before Vite's server."""
    react.write("playwright.config.ts", playwright_config(chromium))
    spec = react.write("e2e/teas.spec.ts", SPEC)
    with react.serving(VITE) as url:
        assert "3 passed" in run_tests(react, url)
    options = (
        "--noEmit",
        "--strict",
        "--module",
        "nodenext",
        "--lib",
        "es2023,dom",
        "--types",
        "node",
    )
    react.node("typescript/lib/tsc.js", "--ignoreConfig", *options, "src/webagents.d.ts", spec)


def test_a_run_is_kept_as_a_test_of_playwright(react: Project, chromium: Browser) -> None:
    """`run --save-test` writes it in a project with the package; its site needs no agent of its own."""
    shutil.rmtree(react.folder / "e2e", ignore_errors=True)
    shop = ROOT / "site_template"
    goal = 'put 2 of "The Harbour Towns" into the basket'
    said = react.run(
        sys.executable, "-m", "webagent_dev", "run", goal, "--site", shop, "--yes", "--save-test", "e2e"
    )  # fmt: skip
    assert "put_2_of_the_harbour_towns_into_the_basket.spec.ts" in said
    react.write("playwright.config.ts", playwright_config(chromium))
    with react.serving(VITE, "preview", "--outDir", str(shop)) as url:
        assert "1 passed" in run_tests(react, url)
