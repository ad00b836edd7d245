/** Fixtures of `@playwright/test`: the tools of a page as functions, its agent, and whether it keeps its manifest. */
import { expect as plainExpect, test as plainTest, type Page } from "@playwright/test";
import { startChecks, type Checks } from "webagent-page/checks";
import { needAgent } from "./agent_in_page.js";
import { PageAgent } from "./page_agent.js";
import { pageTools, type Tools } from "./page_tools.js";

export { GoalNotReached, type Outcome, type RunOptions } from "./page_agent.js";
export { ResultMismatch, ToolCallFailed, type Tools } from "./page_tools.js";

/** The fixtures of a test, besides those of Playwright. */
interface Fixtures {
  /** The tools of the page, as functions; `await tools.searchBooks("harbour")` calls one. */
  tools: Tools;
  /** The agent of the page, which works on goals. */
  agent: PageAgent;
}

/** The checks of this process, from their first use on. */
let started: Checks | undefined;
const checks = (): Checks => (started ??= startChecks());

/** `test` of Playwright, with the fixtures of a page that has an agent. */
export const test = plainTest.extend<Fixtures>({
  tools: async ({ page }, use) => use(pageTools(page, checks)),
  agent: async ({ page }, use) => use(await PageAgent.in(page)),
});

/** How long a function of the page may take to be there. */
const LATE_MS = 5000;
const LOOK_MS = 100;

/** `expect` of Playwright, which also compares pages with their manifest and values with types. */
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

  /** Whether a value is of a type of TypeScript, such as `{ total: number; books: string[] }`. */
  async toMatchType(value: unknown, type: string) {
    const found = await checks().matches(value, type);
    const lines = found.map(({ path, expected, got }) => `\n  at ${path || "the whole"}: expected ${expected}, got ${got}`);
    const message = () => `the value ${found.length ? "is not" : "is"} of the type \`${type}\`${lines.join("")}`;
    return { pass: found.length === 0, name: "toMatchType", message };
  },
});

/** Where the page differs from its manifest. */
async function differences(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => (webagent as unknown as Comparing).compare());
  return found
    .filter(({ severity }) => severity !== "info")
    .map(({ path, span, message }) => `${path}:${span.start.line}: ${message}`);
}

/** A member of the agent for scripts of its own bundle. */
interface Comparing {
  compare(): Promise<import("webagent-page").Finding[]>;
}
