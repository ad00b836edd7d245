/** Sees that a page has its agent; one of a site without the bundle gets it for the test. */
import path from "node:path";
import type { Page } from "@playwright/test";
import { bundleFiles, bundleFolder } from "webagent-page/bundle";

/** Where a page that has no agent finds the bundle. */
const PREFIX = "/__webagent__/";

const served = new WeakSet<Page>();

/** Open the first page of the site if none is open, and wait until it has an agent. */
export async function needAgent(page: Page): Promise<void> {
  if (page.url() === "about:blank") await page.goto("/");
  const announced = await page.evaluate(() => ({
    agent: Object.hasOwn(window, "webagent") || document.querySelector('script[src*="webagent.js"]') !== null,
    manifest: document.querySelector<HTMLMetaElement>('meta[name="webagents-md" i]')?.content ?? "/webagents.md",
  }));
  if (!announced.agent) await addAgent(page, announced.manifest);
  await page.waitForFunction(() => Object.hasOwn(window, "webagent"));
}

async function addAgent(page: Page, manifest: string): Promise<void> {
  if (!served.has(page)) {
    served.add(page);
    const files = new Set(bundleFiles());
    await page.route(
      ({ pathname }) => pathname.startsWith(PREFIX),
      (route) => {
        const name = new URL(route.request().url()).pathname.slice(PREFIX.length);
        return files.has(name) ? route.fulfill({ path: path.join(bundleFolder, name) }) : route.abort();
      },
    );
    // A run goes on in the next page.
    page.on("load", () => void needAgent(page).catch(() => {}));
  }
  await page.evaluate(
    ([src, data]) => {
      const script = document.createElement("script");
      Object.assign(script, { type: "module", src });
      script.dataset["manifest"] = data;
      document.head.append(script);
    },
    [`${PREFIX}webagent.js`, manifest] as const,
  );
}

/** The text of the manifest of a page; empty without one. */
export async function manifestOf(page: Page): Promise<string> {
  const address = await page.evaluate(() => {
    const meta = document.querySelector<HTMLMetaElement>('meta[name="webagents-md" i]')?.content;
    const script = document.querySelector<HTMLElement>('script[src*="webagent.js"][data-manifest]');
    return new URL(script?.dataset["manifest"] ?? meta ?? "/webagents.md", document.URL).href;
  });
  const answer = await page.request.get(address);
  return answer.ok() ? answer.text() : "";
}
