/** The page's script: reads its options, publishes `window.webagent`, starts when it should. */
import { loadChunk } from "./base/lazy_chunks.ts";
import { isDataSaving, whenIdle } from "./base/page_events.ts";
import type * as Development from "./dev/index.ts";
import { readOptions, type Options } from "./page/options.ts";
import { WebAgent } from "./page/webagent.ts";
import { offerPanel } from "./panel/launcher.ts";
import { runIsKept } from "./run/tab_storage.ts";

declare global {
  interface Window {
    webagent?: WebAgent;
  }
}

// A page that carries the script twice has one agent.
// (An element with this id makes `window.webagent` answer too, but is no property of its own.)
if (!Object.hasOwn(window, "webagent")) {
  const options = readOptions(document, import.meta.url);
  const agent = new WebAgent(options);
  window.webagent = agent;
  const start = () => {
    // The `error` event has told it; nobody awaits this start.
    agent.ready.catch(() => {});
  };
  // The outermost page speaks for its frames.
  if (window.top === window) {
    if (options.live !== null) develop(agent, options, options.live);
    if (options.panel) offerPanel(agent, () => loadChunk(options.base, "panel"));
  }
  // The page before this one left a run for it.
  if (runIsKept()) void agent.runs().then((runs) => runs.goOn()).catch(() => {});
  if (options.start === "now") start();
  if (options.start === "idle" && (options.live !== null || !isDataSaving())) afterLoad(start);
}

/** Load what is there in development only, from the server: a site that is built has no such part. */
function develop(agent: WebAgent, options: Options, live: string): void {
  loadChunk<typeof Development>(new URL("./", live).href, "dev").then(
    ({ startDevelopment }) => startDevelopment(agent, options),
    (error: unknown) => console.warn(`webagent: saves do not reach this page - ${String(error)}`),
  );
}

/** After the page's own load, when the browser has nothing better to do. */
function afterLoad(task: () => void): void {
  if (document.readyState === "complete") whenIdle(task);
  else addEventListener("load", () => whenIdle(task), { once: true });
}
