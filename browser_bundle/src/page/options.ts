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
    panel: isOn("panel", script?.dataset["panel"], live !== null),
    overlay: isOn("overlay", script?.dataset["overlay"], live !== null),
    model: modelsOf(script?.dataset["llm"], script?.dataset["llmFallback"], document.URL),
    isolation: isolationOf(script?.dataset["isolation"]),
    expose: exposeOf(script?.dataset["expose"], live !== null),
    runtime: runtimeOf(script?.dataset["runtime"]),
  };
}

function metaContent(document: Document, name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}" i]`)?.content.trim() || null;
}

function startOf(value: string | undefined, development: boolean): Options["start"] {
  if (value === "now" || value === "idle" || value === "use") return value;
  if (value !== undefined) {
    console.warn(`webagent: data-start="${value}" is not known; write now, idle or use`);
  }
  // In development Python starts without being used, but only in the top page, not in each frame.
  return development && window.top === window ? "idle" : "use";
}

function exposeOf(value: string | undefined, development: boolean): boolean {
  if (value === "modelContext" || value === "none") return value === "modelContext";
  if (value !== undefined) {
    console.warn(`webagent: data-expose="${value}" is not known; write modelContext or none`);
  }
  return development;
}

function isOn(name: string, value: string | undefined, otherwise: boolean): boolean {
  if (value === "on" || value === "off") return value === "on";
  if (value !== undefined) {
    console.warn(`webagent: data-${name}="${value}" is not known; write on or off`);
  }
  return otherwise;
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

function isolationOf(value: string | undefined): Options["isolation"] {
  if (value !== undefined && value !== "sandbox" && value !== "page") {
    console.warn(`webagent: data-isolation="${value}" is not known; write sandbox or page`);
  }
  return value === "page" ? "page" : "sandbox";
}

function runtimeOf(value: string | undefined): Place {
  if (value === "page" || value === "worker" || value === "shared") return value;
  if (value !== undefined) {
    console.warn(`webagent: data-runtime="${value}" is not known; write page, worker or shared`);
  }
  return "page";
}
