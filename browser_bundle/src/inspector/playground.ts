/** `playground.js`: a page without a server, on which one types a manifest and sees what it means. */
import { describeThrown, runtimeLost } from "../base/errors.ts";
import type { Result } from "../base/results.ts";
import type { Progress } from "../boot/downloads.ts";
import type { PageBridge, Runtime, Started } from "../boot/runtime.ts";
import { workerClient } from "../boot/worker_client.ts";
import type { Finding } from "../page/manifest.ts";
import { brief } from "../ui/display_text.ts";
import { button, h, words, type Child } from "../ui/elements.ts";
import { Tabs } from "../ui/tabs.ts";
import { copyButton, fault, fold, keep, kept, longText } from "../ui/widgets.ts";
import type { Prompt } from "./api_types.ts";
import { ManifestEditor, MOST_CHARACTERS, TOO_LONG } from "./manifest_editor.ts";
import { findingsList, severities, summary } from "./manifest_view.ts";
import { promptView } from "./model_view.ts";

const BASE = new URL("./", import.meta.url).href;

/** Files of `examples/` by what they are called here; the first one is shown to newcomers. */
const EXAMPLES = { Good: "good", "With mistakes": "mistakes", "The shop": "shop" };

/** Key in localStorage of the text, and of the one before it. */
const STORED = "webagent.playground";
/** Key in the fragment of a link, before the text. */
const LINKED = "#manifest=";

/** After the last key, as long as one pauses between two words. */
const PAUSE_MS = 200;
const SHOWN = 60_000;

/** A page on which each function exists that a manifest names, and nothing else. */
const BRIDGE = {
  emit: () => {},
  offers: async (functions: string) =>
    JSON.stringify({
      functions: Object.fromEntries((JSON.parse(functions) as string[]).map((name) => [name, [0, null]])),
      unavailable: {},
      undeclared: [],
      unknown_modes: [],
      tools: [],
      path: "/",
      origin: location.origin,
    }),
  path: async () => "/",
  snapshot: async () => "{}",
} satisfies Partial<PageBridge>;

/** The meaning of a manifest, as Python returns it: `webagent.inpage.InPage.manifest_view`. */
interface Meaning {
  typescript: string;
  schemas: object[];
  findings: Finding[];
  /** The page of each rule that found something. */
  rules: Record<string, string>;
}

/** The meaning of a text, and the first prompt if it was asked for. */
type Read = Meaning & { text: string; prompt?: Result };

const PHASES: Record<Progress["phase"] | "checks", string> = {
  download: "Downloading Python",
  python: "Starting Python",
  manifest: "Starting Python",
  checks: "Loading the checks",
};

class Playground {
  readonly element: HTMLElement;
  #notice = h("div", { class: "notice warn row", role: "alert", hidden: true });
  #status = h("span", { class: "status", role: "status" });
  #editor = new ManifestEditor((before) => this.#onChange(before), () => this.#announce(TOO_LONG));
  #tab = kept("playground", 0);
  #tabs: Tabs;
  #back = button("small", "Text before", () => this.#replace(this.#before));
  #runtime: Runtime | undefined;
  #end: Started["end"] | undefined;
  #read: Read | undefined;
  /** Shown until there is something to read. */
  #waiting: Node = h("p");
  /** The text before the last example or link. */
  #before = "";
  /** An example, or a text from a link, as it was when it came. */
  #given = "";
  #link = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #changes = 0;

  constructor() {
    const examples = Object.entries(EXAMPLES).map(([label, name]) => button("small", label, () => void this.#showExample(name)));
    this.#tabs = new Tabs(
      "Meaning of the manifest",
      [
        { label: "Declarations", content: () => this.#shown(({ typescript }) => longText(typescript, SHOWN, "code")) },
        { label: "JSON Schema", content: () => this.#shown((read) => longText(schemasOf(read), SHOWN, "code")) },
        { label: "Findings", content: () => this.#shown((read) => this.#findings(read)) },
        { label: "Prompt", content: () => this.#shown((read) => this.#prompt(read)) },
      ],
      this.#tab,
      (place) => {
        keep("playground", (this.#tab = place));
        // The prompt is written only for those who look at it.
        if (place === PROMPT && this.#read && !this.#read.prompt) void this.#readText();
      },
      copyButton(() => (this.#read ? copied[this.#tab]?.(this.#read) ?? "" : "")),
    );
    this.element = h(
      "div",
      { class: "shell" },
      h(
        "header",
        {},
        h("h1", {}, "webagent playground"),
        h("div", { class: "row examples", role: "group", "aria-label": "Examples" }, h("span", { class: "quiet" }, "Examples:"), ...examples),
        h("div", { class: "where" }, this.#back, copyButton(() => this.#link, "Copy link")),
        this.#status,
      ),
      this.#notice,
      h(
        "main",
        { class: "playground" },
        h("section", { class: "manifest-text", "aria-label": "Manifest" }, h("label", { for: "manifest" }, "webagents.md"), this.#editor.element),
        h("section", { class: "manifest-text", "aria-label": "Meaning" }, this.#tabs.element),
      ),
    );
  }

  async open(): Promise<void> {
    const { text, before } = stored();
    this.#before = before;
    if (text) this.#editor.begin(text);
    addEventListener("hashchange", () => void this.#openLink());
    if (location.hash.startsWith(LINKED)) void this.#openLink();
    else if (!text) void this.#showExample(EXAMPLES.Good);
    await this.#start();
  }

  async #start(): Promise<void> {
    const began = performance.now();
    const phase = h("p", { class: "lead" });
    const bar = h("progress", { "aria-label": "Progress of the start" });
    const size = h("span");
    const seconds = h("span");
    const show = (now: keyof typeof PHASES, loaded = 0, total = 0) => {
      phase.textContent = PHASES[now];
      this.#say(PHASES[now]);
      if (total > 1) Object.assign(bar, { value: loaded, max: total });
      else bar.removeAttribute("value");
      size.textContent = total > 1 ? `${megabytes(loaded)} of ${megabytes(total)} MB, ` : "";
    };
    const count = () => (seconds.textContent = `${Math.round((performance.now() - began) / 1000)} s`);
    const clock = setInterval(count, 1000);
    count();
    show("download");
    this.#wait(h("div", { class: "empty" }, phase, bar, h("p", {}, size, seconds)));
    try {
      const start = workerClient(BASE, "worker", "");
      const started = await start(
        Promise.resolve(BRIDGE as Partial<PageBridge> as PageBridge),
        false,
        ({ phase: now, loaded, total }) => show(now, loaded, total),
        (error) => this.#fail(error),
        true,
      );
      this.#end = started.end;
      show("checks");
      await started.loadRest();
      this.#runtime = started.runtime;
      await this.#readText();
    } catch (thrown) {
      this.#fail(thrown);
    } finally {
      clearInterval(clock);
    }
  }

  #fail(thrown: unknown): void {
    const message = describeThrown(thrown);
    this.#end?.(runtimeLost(message));
    this.#runtime = this.#read = this.#end = undefined;
    this.#say("Python does not run", "lost");
    const error = { kind: "Python does not run", message, help: "Your text is kept. Do what is written above, if you can, and start Python again." };
    this.#wait(h("div", {}, fault(error), h("p", { class: "row" }, button("primary", "Start Python again", () => void this.#start()))));
  }

  /** Show something in place of what the manifest means. */
  #wait(content: Node): void {
    this.#waiting = content;
    this.#tabs.refresh();
  }

  #onChange(before?: string): void {
    if (before !== undefined && before !== this.#given) this.#before = before;
    this.#changes += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void linkTo(this.#editor.text).then((link) => (this.#link = link));
      void this.#readText();
    }, PAUSE_MS);
    this.#notice.hidden = true;
    store(this.#editor.text, this.#before);
    this.#back.hidden = this.#before === "" || this.#before === this.#editor.text;
  }

  /** Let Python read the text; a change in the meantime is read next. */
  async #readText(): Promise<void> {
    const runtime = this.#runtime;
    if (!runtime || this.#isReading) return;
    this.#isReading = true;
    let changes: number;
    try {
      do {
        changes = this.#changes;
        const { text } = this.#editor;
        await runtime.load_manifest(text, "webagents.md");
        const meaning = JSON.parse(await runtime.manifest_view()) as Meaning;
        const prompt = this.#tab === PROMPT ? (JSON.parse(await runtime.prompt("", "null")) as Result) : undefined;
        if (changes === this.#changes) this.#show({ ...meaning, text, ...(prompt && { prompt }) });
      } while (changes !== this.#changes || (this.#tab === PROMPT && !this.#read?.prompt));
    } catch (thrown) {
      if (this.#runtime) this.#fail(thrown);
    } finally {
      this.#isReading = false;
    }
  }

  #show(read: Read): void {
    this.#read = read;
    const worst = new Set(read.findings.map(({ severity }) => severity));
    this.#say(summary(read.findings), worst.has("error") ? "lost" : worst.has("warning") ? "" : "connected");
    this.#editor.mark(severities(read.findings));
    const folds = () => [...this.#tabs.element.querySelectorAll("details")];
    const open = folds().map((one) => one.open);
    const panel = this.#tabs.element.querySelector(".tabpanel");
    const scroll = panel?.scrollTop ?? 0;
    this.#tabs.refresh();
    folds().forEach((one, place) => (one.open = open[place] ?? false));
    if (panel) panel.scrollTop = scroll;
  }

  #shown(content: (read: Read) => Node): Node {
    return this.#read ? content(this.#read) : this.#waiting;
  }

  #findings(read: Read): Node {
    const remedies = ({ rule, fix }: Finding): Child[] => [
      fix &&
        h("p", {}, button("small", h("span", {}, "Fix: ", ...words(brief(fix.title, 300))), () => {
          // Offsets in another text would be of other words.
          if (this.#editor.text === read.text) this.#editor.fix(fix.edits);
        })),
      fold(h("span", {}, "About ", h("code", {}, rule)), () => longText(read.rules[rule] ?? "", SHOWN, "pre")),
    ];
    const list = findingsList(read.findings, (line, column) => this.#editor.jump(line, column), remedies);
    return h("div", {}, h("h2", {}, summary(read.findings)), list);
  }

  #prompt({ prompt }: Read): Node {
    if (!prompt) return h("p", { class: "quiet" }, "Writing the prompt …");
    if (!prompt.ok) return fault(prompt.error);
    return h("div", { class: "prompt" }, ...promptView(prompt.value as unknown as Prompt));
  }

  async #showExample(name: string): Promise<void> {
    try {
      const response = await fetch(new URL(`examples/${name}.md`, BASE));
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      this.#replace(await response.text());
    } catch (thrown) {
      this.#announce(`The example did not come: ${describeThrown(thrown)}. Reload the page.`);
    }
  }

  /** Show the text of the address, if it has one; it leaves the address then. */
  async #openLink(): Promise<void> {
    if (!location.hash.startsWith(LINKED)) return;
    const linked = location.hash.slice(LINKED.length);
    history.replaceState(null, "", location.pathname + location.search);
    try {
      const text = await unpacked(linked);
      if (text.length > MOST_CHARACTERS) this.#announce(TOO_LONG);
      else this.#replace(text);
    } catch {
      this.#announce("The link is not whole, so its text is not shown. Copy the whole link.");
    }
  }

  /** Show another text, and keep what a person has written. */
  #replace(text: string): void {
    const now = this.#editor.text;
    if (now !== this.#given) this.#before = now;
    // Where nothing is replaced, nothing has to be undone, and the focus stays.
    if (now === "") this.#editor.begin(text);
    else this.#editor.replace(text);
    this.#given = text;
  }

  /** Set the status; screen readers read each change aloud. */
  #say(text: string, state = ""): void {
    this.#status.className = `status ${state}`;
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #announce(text: string): void {
    this.#notice.replaceChildren(h("p", {}, ...words(text)));
    this.#notice.hidden = false;
  }
}

/** Place of the tab with the prompt. */
const PROMPT = 3;

/** The text that is copied from each tab. */
const copied: ((read: Read) => string)[] = [
  ({ typescript }) => typescript,
  schemasOf,
  ({ findings }) => JSON.stringify(findings, null, 2),
  ({ prompt }) => (prompt?.ok ? (prompt.value as unknown as Prompt).messages.map(({ text }) => text).join("\n\n") : ""),
];

/** As `webagent-dev schema` writes them. */
function schemasOf({ schemas }: Read): string {
  return JSON.stringify({ tools: schemas }, null, 2);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function stored(): { text: string; before: string } {
  try {
    const { text = "", before = "" } = JSON.parse(localStorage.getItem(STORED) ?? "{}") as { text?: unknown; before?: unknown };
    return { text: String(text).slice(0, MOST_CHARACTERS), before: String(before).slice(0, MOST_CHARACTERS) };
  } catch {
    return { text: "", before: "" };
  }
}

function store(text: string, before: string): void {
  try {
    localStorage.setItem(STORED, JSON.stringify({ text, before }));
  } catch {
    // Without storage a reload begins anew.
  }
}

async function linkTo(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  let bytes = "";
  for (const byte of new Uint8Array(await new Response(packed).arrayBuffer())) bytes += String.fromCharCode(byte);
  const encoded = btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.origin}${location.pathname}${location.search}${LINKED}${encoded}`;
}

/**
 * The text of a link; a little more than the page takes of one that is longer.
 *
 * @throws Error The link is not whole.
 */
async function unpacked(linked: string): Promise<string> {
  const bytes = Uint8Array.from(atob(linked.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  const reader = new Blob([bytes]).stream()
    .pipeThrough(new DecompressionStream("deflate-raw"))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  // A short link can be made to hold gigabytes.
  while (text.length <= MOST_CHARACTERS) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
  void reader.cancel();
  return text;
}

const playground = new Playground();
document.body.replaceChildren(playground.element);
void playground.open();
