/** Fixtures of `@playwright/test`: the tools of a page as functions, its agent, and whether it keeps its manifest. */
import { expect as plainExpect, test as plainTest, type Page } from "@playwright/test";
import { startChecks, type Checks } from "webagent-page/checks";
import { needAgent } from "./agent_in_page.js";
import { PageAgent } from "./page_agent.js";
import { pageTools, type Tools } from "./page_tools.js";

export { GoalNotReached, type Outcome, type RunOptions } from "./page_agent.js";
export { ResultMismatch, ToolCallFailed, type Tools } from "./page_tools.js";

interface Fixtures {
  /** The tools of the page, as functions; `await tools.searchBooks("harbour")` calls one. */
  tools: Tools;
  /** The agent of the page, which works on goals. */
  agent: PageAgent;
}

/** Those that all tests of a worker share. */
interface Shared {
  checks: Checks;
}

export const test = plainTest.extend<Fixtures, Shared>({
  checks: [
    async ({}, use) => {
      const checks = startChecks();
      await use(checks);
      await checks.end();
    },
    { scope: "worker" },
  ],
  tools: async ({ page, checks }, use) => use(pageTools(page, checks)),
  agent: async ({ page }, use) => use(await PageAgent.in(page)),
});

/** How long a function of the page may take to be there. */
const LATE_MS = 5000;
const LOOK_MS = 100;

export const expect = plainExpect.extend({
  /** Whether the page has the functions of its manifest, with their parameters. */
  async toKeepManifest(page: Page, { timeout = LATE_MS }: { timeout?: number } = {}) {
    await needAgent(page);
    const end = Date.now() + timeout;
    let found = await differences(page);
    while (found.length && Date.now() < end) {
      await page.waitForTimeout(LOOK_MS);
      found = await differences(page);
    }
    const message = () =>
      found.length
        ? `the page is not what its manifest says:\n${found.map((line) => `  ${line}`).join("\n")}`
        : "the page is what its manifest says";
    return { pass: found.length === 0, name: "toKeepManifest", message };
  },
});

/** Where the page differs from its manifest. */
async function differences(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => (webagent as unknown as Comparing).compare());
  return found
    .filter(({ severity }) => severity !== "info")
    .map(({ path, span, message }) => `${path}:${span.start.line}: ${message}`);
}

/** What the agent has for scripts of its own bundle. */
interface Comparing {
  compare(): Promise<import("webagent-page").Finding[]>;
}
