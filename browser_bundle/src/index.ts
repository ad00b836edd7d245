/** `webagent.js`: reads the page's options, publishes `window.webagent`, starts the agent. */
import { loadChunk } from "./base/lazy_chunks.ts";
import { isDataSaving, whenIdle } from "./base/page_events.ts";
import type * as Development from "./dev/index.ts";
import type * as Live from "./live/index.ts";
import { readOptions, type Options } from "./page/options.ts";
import { WebAgent } from "./page/webagent.ts";
import { offerPanel } from "./panel/launcher.ts";
import { claimTab, runIsKept } from "./run/tab_storage.ts";

declare global {
  interface Window {
    webagent?: WebAgent;
  }
}

// A page that loads the script twice has one agent.
// (An element with this id is also found as `window.webagent`, but not as an own property.)
if (!Object.hasOwn(window, "webagent")) {
  const options = readOptions(document, import.meta.url);
  // Frames have the storage of the page around them.
  if (window.top === window) claimTab(options.account);
  const agent = new WebAgent(options);
  window.webagent = agent;
  const start = () => {
    // The `error` event reports a failure; this start is not awaited.
    agent.ready.catch(() => {});
  };
  // The top page represents its frames.
  if (window.top === window) {
    if (options.live !== null) develop(agent, options, options.live);
    if (options.pages !== null) openChannel(agent, options, options.pages);
    if (options.panel) offerPanel(agent, () => loadChunk(options.base, "panel"));
  }
  // The previous page has left a run for this one.
  if (runIsKept()) void agent.runs().then((runs) => runs.resumePrevious()).catch(() => {});
  if (options.start === "now") start();
  if (options.start === "idle" && (options.live !== null || !isDataSaving())) afterLoad(start);
}

/** Load `dev.js` from the server; a built site does not have it. */
function develop(agent: WebAgent, options: Options, live: string): void {
  loadChunk<typeof Development>(new URL("./", live).href, "dev").then(
    ({ startDevelopment }) => startDevelopment(agent, options),
    (error: unknown) => console.warn(`webagent: saves do not reach this page - ${String(error)}`),
  );
}

/** Load `live.js`, for calls from outside. */
function openChannel(agent: WebAgent, options: Options, pages: string): void {
  // The visitor may connect an assistant in another tab.
  if (options.forAssistants && !document.cookie.includes("webagent-assistants=")) {
    addEventListener("focus", () => openChannel(agent, options, pages), { once: true });
    return;
  }
  loadChunk<typeof Live>(options.base, "live").then(
    ({ startLive }) => startLive(agent, pages),
    (error: unknown) => console.warn(`webagent: nobody outside can call the tools of this page - ${String(error)}`),
  );
}

/** Run a task after the page's load, when the browser is idle. */
function afterLoad(task: () => void): void {
  if (document.readyState === "complete") whenIdle(task);
  else addEventListener("load", () => whenIdle(task), { once: true });
}
