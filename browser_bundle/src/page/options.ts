/** The options that a page's author sets on the script tag. */
import type { Place } from "../boot/runtime.ts";
import type { ModelAttributes } from "../run/runs.ts";

/** Attributes of the script tag, with the defaults filled in. */
export interface Options {
  /** URL of the manifest, or null when the page names none. */
  manifest: string | null;
  /** When Python starts: at once, when the page is idle, or on first use. */
  start: "now" | "idle" | "use";
  /** URL of the bundle, ending in a slash. */
  base: string;
  /** The development server's socket; null in production. */
  live: string | null;
  /** The live channel of a published page; null without one. */
  pages: string | null;
  /** Whether only pages of visitors with an assistant of their own have the channel. */
  forAssistants: boolean;
  /** Whether the manifest's tools are offered on `document.modelContext` too. */
  expose: boolean;
  /** Whether the panel is offered to visitors. */
  panel: boolean;
  /** Whether errors of the manifest are shown over the page, in development. */
  overlay: boolean;
  /** The model that decides in runs, and its fallback. */
  llm: ModelAttributes;
  /** Where the page reports how tools are used; null if nobody counts. */
  usage: string | null;
  /** Where programs run. */
  isolation: "sandbox" | "page";
  /** Where Python runs if possible: on the page's thread, in a worker, or in one that pages share. */
  runtime: Place;
  /** Whose page this is, as the site's server writes it; empty for a stranger. */
  account: string;
}

/**
 * Read the options of this page.
 *
 * @param moduleUrl URL of the running script, to find its own tag and bundle.
 */
export function readOptions(document: Document, moduleUrl: string): Options {
  const scripts = [...document.querySelectorAll<HTMLScriptElement>("script[type=module][src]")];
  // After a redirect, or with a later `<base>`, the tag's address differs from the module's.
  const script =
    scripts.find((candidate) => candidate.src === moduleUrl) ??
    scripts.find((candidate) => /(^|\/)webagent\.js(\?|$)/.test(candidate.getAttribute("src") ?? ""));
  const live = metaContent(document, "webagent-live");
  const base = new URL(script?.dataset["base"] ?? "./", moduleUrl);
  const manifest = script?.dataset["manifest"] || metaContent(document, "webagents-md");
  const usage = script?.dataset["usage"];
  const pages = script?.dataset["pages"];
  const assistants = script?.dataset["assistants"];
  const channel = pages ?? (assistants && `${assistants}/../pages`);
  return {
    manifest: manifest === null ? null : new URL(manifest, document.URL).href,
    // In development Python starts without being used, but only in the top page, not in each frame.
    start: choice(script, "start", ["now", "idle", "use"], live !== null && window.top === window ? "idle" : "use"),
    base: base.href,
    live: live === null ? null : new URL(live, document.URL).href,
    forAssistants: pages === undefined,
    pages: channel ? new URL(channel, document.URL).href : null,
    panel: choice(script, "panel", SWITCH, live === null ? "off" : "on") === "on",
    overlay: choice(script, "overlay", SWITCH, live === null ? "off" : "on") === "on",
    llm: [script?.dataset["llm"], script?.dataset["llmFallback"], document.URL],
    usage: usage ? new URL(usage, document.URL).href : null,
    isolation: choice(script, "isolation", ["sandbox", "page"], "sandbox"),
    expose: choice(script, "expose", ["modelContext", "none"], live === null ? "none" : "modelContext") === "modelContext",
    // In development `webagent.python` reads and changes the page.
    runtime: choice(script, "runtime", ["page", "worker", "shared"], live === null && maySharePython(base) ? "shared" : "page"),
    account: script?.dataset["account"] ?? "",
  };
}

/** Whether pages of this site can share a worker that is still there after a navigation. */
function maySharePython(base: URL): boolean {
  let lasts = false;
  try {
    // A browser that keeps workers reads the option; then it refuses the address.
    new SharedWorker("http:// ", { get extendedLifetime() { return (lasts = true); } } as WorkerOptions);
  } catch {
    // There are no shared workers, or this is the refusal.
  }
  return lasts && base.origin === location.origin;
}

function metaContent(document: Document, name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}" i]`)?.content.trim() || null;
}

const SWITCH = ["on", "off"] as const;

/** The value of an attribute that has a few of them. */
function choice<Value extends string>(
  script: HTMLScriptElement | undefined,
  name: string,
  values: readonly Value[],
  otherwise: Value,
): Value {
  const value = script?.dataset[name];
  const found = values.find((one) => one === value);
  if (value !== undefined && !found) {
    console.warn(`webagent: data-${name}="${value}" is not known; write ${values.join(" or ")}`);
  }
  return found ?? otherwise;
}
