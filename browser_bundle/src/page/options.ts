/** The options that a page's author sets on the script tag. */
import type { Place } from "../boot/runtime.ts";
import type { ModelOptions } from "../run/runs.ts";

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
  /** Whether the manifest's tools are offered on `document.modelContext` too. */
  expose: boolean;
  /** Whether the panel is offered to visitors. */
  panel: boolean;
  /** Whether errors of the manifest are shown over the page, in development. */
  overlay: boolean;
  /** The model that decides in runs, with its fallback; null for none. */
  model: ModelOptions | null;
  /** Where programs run. */
  isolation: "sandbox" | "page";
  /** Where Python runs if possible: on the page's thread, in a worker, or in one that pages share. */
  runtime: Place;
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
  const manifest = script?.dataset["manifest"] || metaContent(document, "webagents-md");
  return {
    manifest: manifest === null ? null : new URL(manifest, document.URL).href,
    start: startOf(script?.dataset["start"], live !== null),
    base: new URL(script?.dataset["base"] ?? "./", moduleUrl).href,
    live: live === null ? null : new URL(live, document.URL).href,
    panel: isFirst("panel", script?.dataset["panel"], live !== null),
    overlay: isFirst("overlay", script?.dataset["overlay"], live !== null),
    model: modelsOf(script?.dataset["llm"], script?.dataset["llmFallback"], document.URL),
    isolation: oneOf("isolation", script?.dataset["isolation"], ["sandbox", "page"]) ?? "sandbox",
    expose: isFirst("expose", script?.dataset["expose"], live !== null, ["modelContext", "none"]),
    runtime: oneOf("runtime", script?.dataset["runtime"], ["page", "worker", "shared"]) ?? "page",
  };
}

function metaContent(document: Document, name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}" i]`)?.content.trim() || null;
}

/** The value of an attribute if it is one of those that there are; any other is reported. */
function oneOf<Value extends string>(name: string, value: string | undefined, known: Value[]): Value | undefined {
  const found = known.find((one) => one === value);
  if (value !== undefined && !found) {
    console.warn(`webagent: data-${name}="${value}" is not known; write ${known.join(" or ")}`);
  }
  return found;
}

function startOf(value: string | undefined, development: boolean): Options["start"] {
  const start = oneOf("start", value, ["now", "idle", "use"]);
  if (start) return start;
  // In development Python starts without being used, but only in the top page, not in each frame.
  return development && window.top === window ? "idle" : "use";
}

/** Whether an attribute has the first of two values. */
function isFirst(name: string, value: string | undefined, otherwise: boolean, values = ["on", "off"]): boolean {
  const found = oneOf(name, value, values);
  return found ? found === values[0] : otherwise;
}

function modelsOf(first: string | undefined, second: string | undefined, base: string): ModelOptions | null {
  const model = modelOf(first, base);
  const fallback = modelOf(second, base);
  if (fallback && !model) console.warn("webagent: data-llm-fallback needs data-llm");
  return model && fallback ? { ...model, fallback } : model;
}

/**
 * `builtin`, or `PROVIDER+URL#NAME&SETTINGS`, such as `anthropic+/llm#claude-haiku-4-5`. A URL alone is a service
 * of chat completions.
 */
function modelOf(value: string | undefined, base: string): ModelOptions | null {
  if (!value) return null;
  if (value === "builtin") return { provider: value };
  const [prefix, provider = "openai-chat"] = /^(?:([a-z0-9-]+)\+)?/.exec(value) as unknown as [string, string?];
  const url = new URL(value.slice(prefix.length), base);
  const [name = "", ...settings] = url.hash.slice(1).split("&");
  url.hash = "";
  return {
    provider,
    url: url.href,
    ...(name && { name: decodeURIComponent(name) }),
    ...(settings[0] && { settings: settings.join("&") }),
  };
}
