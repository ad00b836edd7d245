/** `dev.js`, in development only: connects to the server, shows findings and the progress of the start. */
import type { Problem } from "../base/errors.ts";
import { logsOf } from "../logs/log_entries.ts";
import type { ServerMessage } from "../live/messages.ts";
import { Relay } from "../live/relay.ts";
import type { Options } from "../page/options.ts";
import type { WebAgent } from "../page/webagent.ts";
import { DriftWatch } from "./drift_watch.ts";
import { LiveSocket } from "./live_socket.ts";
import { editorOpener, Overlay } from "./overlay.ts";
import { StatusPill } from "./status_pill.ts";

const FAILURES = { start: "The agent did not start", manifest: "No manifest", runtime: "Python was lost" };

/** Drift findings that are sent to the server; messages have a size limit. */
const MOST_SENT = 50;
/** Characters of a function that are sent. */
const MOST_CODE = 400;
/** How long nothing else has to change before the page reloads: programs save several files at once. */
const RELOAD_MS = 4;

export function startDevelopment(agent: WebAgent, options: Options): void {
  if (options.live === null) return;
  const inspector = new URL("./", options.live).href;
  const overlay = options.overlay ? new Overlay(editorOpener(options.live), inspector) : undefined;
  const status = new StatusPill(inspector);
  const socket = new LiveSocket(options.live, new URL("webagent.js", options.base).href, agent.version);

  const relay = new Relay(agent, socket);
  // Editors open a function where it is written.
  relay.described = (tools) => tools.map((tool) => ({ ...tool, code: codeOf((globalThis as Tool)[tool["name"] as string]) }));

  socket.onmessage = (message) => {
    if (!relay.handle(message)) handleMessage(message, agent, overlay);
  };

  logsOf(window)?.listen((entry) => {
    const send = (text: string) => socket.send({ v: 1, type: "log", ...entry, text });
    const masked = agent.masked(entry.text);
    // Without a promise it is sent at once, also while the page is being left.
    if (typeof masked === "string") send(masked);
    else void masked.then(send, () => {});
  });

  new DriftWatch(agent, (findings) => {
    agent.replaceDrift(findings);
    const sent = findings.slice(0, MOST_SENT);
    socket.send({ v: 1, type: "drift", path: location.pathname, findings: sent });
  });

  agent.addEventListener("progress", (event) => {
    if (agent.state === "starting") status.progress((event as CustomEvent).detail);
  });
  agent.addEventListener("ready", () => status.ready());
  const showProblem = ({ phase, message }: Problem) => {
    status.failed(FAILURES[phase], message);
    console.error(`webagent: ${message}`);
    socket.send({ v: 1, type: "error", phase, message });
  };
  // Some problems may be older than this script.
  agent.problems.forEach(showProblem);
  agent.addEventListener("error", (event) => showProblem((event as CustomEvent<Problem>).detail));
}

type Tool = Record<string, unknown>;

/** How a function begins, which is enough to find it in the files of the site. */
function codeOf(value: unknown): string | undefined {
  return typeof value === "function" ? Function.prototype.toString.call(value).slice(0, MOST_CODE) : undefined;
}

let reloading: ReturnType<typeof setTimeout> | undefined;

function handleMessage(message: ServerMessage, agent: WebAgent, overlay: Overlay | undefined): void {
  switch (message.type) {
    case "hello":
      break;
    case "findings":
      if (!agent.uses(`/${message.path}`)) break;
      agent.replaceFindings(message.findings);
      overlay?.show(message.findings, message.lines, message.editable);
      break;
    case "manifest":
      if (!agent.uses(message.path)) break;
      agent.replaceManifest({ text: message.text, path: message.path.replace(/^\//, "") });
      break;
    case "css":
      swapStylesheets(message.path);
      break;
    case "reload":
      clearTimeout(reloading);
      reloading = setTimeout(() => location.reload(), RELOAD_MS);
      break;
  }
}

/** Stylesheets that are loading, by the one that each will replace. */
const pending = new Map<HTMLLinkElement, HTMLLinkElement>();

/**
 * Reload the stylesheet at `path` wherever the page, its frames or shadow roots link to it.
 *
 * A loaded stylesheet without a link was imported by another one; then the page reloads.
 */
function swapStylesheets(path: string): void {
  const { href, pathname } = new URL(path, location.href);
  const loading = new Set(pending.values());
  const views = [...windows(window)];
  const links = views
    .flatMap((view) => [...sheets(view.document)])
    .filter((link) => !loading.has(link) && pathOf(link.href) === pathname);
  for (const link of links) swap(link);
  const loaded = (view: Window) =>
    view.performance.getEntriesByType("resource").some(({ name }) => name.split("?")[0] === href);
  if (links.length === 0 && views.some(loaded)) location.reload();
}

/** A window and its frames of this origin. */
function* windows(view: Window): Generator<Window> {
  try {
    void view.document.body;
  } catch {
    return;
  }
  yield view;
  for (let i = 0; i < view.length; i++) yield* windows(view[i] as Window);
}

/** The stylesheet links of a document or shadow root, and of the open shadow roots in it. */
function* sheets(root: Document | ShadowRoot): Generator<HTMLLinkElement> {
  yield* root.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet" i][href]');
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) yield* sheets(element.shadowRoot);
  }
}

/** Path of an address of this origin; undefined for other addresses and for invalid ones. */
function pathOf(href: string): string | undefined {
  try {
    const url = new URL(href);
    return url.origin === location.origin ? url.pathname : undefined;
  } catch {
    return undefined;
  }
}

function swap(link: HTMLLinkElement): void {
  pending.get(link)?.remove();
  const url = new URL(link.href);
  url.searchParams.set("webagent-v", Date.now().toString(36));
  const next = link.cloneNode() as HTMLLinkElement;
  next.href = url.href;
  pending.set(link, next);
  const settle = () => {
    if (pending.get(link) !== next) return;
    pending.delete(link);
    link.remove();
  };
  next.addEventListener("load", settle, { once: true });
  next.addEventListener("error", settle, { once: true });
  // The old one stays until the new one is loaded, to avoid a flash of the unstyled page.
  link.after(next);
}
