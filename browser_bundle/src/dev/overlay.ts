/** Shows the errors of a manifest over the page, until they are fixed or closed. */
import type { Finding } from "../page/manifest.ts";
import { element, h, shadowHost, words } from "../ui/elements.ts";

export class Overlay {
  #open: OpenEditor;
  #inspector: string;
  #shown: HTMLElement | undefined;
  #focusBefore: Element | null = null;
  #endRoom = () => {};

  /**
   * @param open Opens a file in the developer's editor.
   * @param inspector URL of the inspector.
   */
  constructor(open: OpenEditor, inspector: string) {
    this.#open = open;
    this.#inspector = inspector;
  }

  /**
   * Show the errors among `findings`; with none, take the overlay away.
   *
   * @param lines Text of each line that a finding starts on, by line number.
   * @param editable Whether an editor can open the file.
   */
  show(findings: Finding[], lines: Record<string, string>, editable: boolean): void {
    const errors = findings.filter((finding) => finding.severity === "error");
    if (errors.length === 0) return this.close();
    const { host, root } = shadowHost("webagent-overlay", OVERLAY_CSS);
    root.append(this.#card(errors, lines, editable));
    host.addEventListener("click", (event) => {
      // A click next to the card closes it, but not one that ends a selection of text.
      if (event.composedPath()[0] === host) this.close();
    });
    if (this.#shown?.isConnected) this.#shown.replaceWith(host);
    else {
      this.#focusBefore = document.activeElement;
      document.documentElement.append(host);
      addEventListener("keydown", this.#onKey, true);
    }
    this.#shown = host;
    this.#endRoom();
    this.#endRoom = besidePanel((panel) => {
      host.style.inset = panel ? insetFor(panel) : "0";
      // An error of the start stays in sight below the card.
      const badge = document.querySelector("webagent-status")?.getBoundingClientRect();
      host.style.paddingBlock = badge ? "0" : "";
      if (badge) host.style.bottom = `${Math.max(parseFloat(host.style.bottom), Math.ceil(innerHeight - badge.top))}px`;
    });
    root.querySelector<HTMLElement>(".card")?.focus({ preventScroll: true });
  }

  /** Take the overlay away and give the focus back. */
  close(): void {
    if (!this.#shown) return;
    this.#endRoom();
    this.#shown.remove();
    this.#shown = undefined;
    removeEventListener("keydown", this.#onKey, true);
    if (this.#focusBefore instanceof HTMLElement) this.#focusBefore.focus({ preventScroll: true });
    this.#focusBefore = null;
  }

  #onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.close();
  };

  #card(errors: Finding[], lines: Record<string, string>, editable: boolean): HTMLElement {
    const title = `${errors[0]?.path ?? "The manifest"} has ${count(errors.length)}`;
    const inspector = new URL("?view=manifest", this.#inspector).href;
    const close = element("button", "close", "Close (Esc)");
    close.addEventListener("click", () => this.close());
    const said = element("p", "said");
    said.setAttribute("role", "status");
    const open = editable ? (finding: Finding) => void this.#openAt(finding, said) : undefined;
    const card = element(
      "section",
      "card",
      element("header", "", element("h1", "", title), close),
      element("p", "sub", "Until it is fixed the page keeps the last version that had no errors."),
      said,
      element("ol", "", ...errors.map((error) => item(error, lines, open))),
      footer(inspector),
    );
    card.tabIndex = -1;
    card.setAttribute("role", "alertdialog");
    card.setAttribute("aria-label", title);
    return card;
  }

  async #openAt({ path, span }: Finding, said: HTMLElement): Promise<void> {
    said.textContent = "";
    said.textContent = (await this.#open({ path, ...span.start })) ?? "";
    if (said.textContent) said.scrollIntoView({ block: "nearest" });
  }
}

function item(
  finding: Finding,
  lines: Record<string, string>,
  open: ((finding: Finding) => void) | undefined,
): HTMLElement {
  const { line, column } = finding.span.start;
  const place = element(open ? "button" : "span", "place", `${finding.path}:${line}:${column}`);
  if (open) {
    place.title = "Open in your editor";
    place.addEventListener("click", () => open(finding));
  }
  const made = element(
    "li",
    "",
    element("span", "rule", finding.rule),
    place,
    h("p", { class: "message" }, ...words(finding.message)),
  );
  const text = lines[String(line)];
  if (text !== undefined) made.append(excerpt(finding, text));
  if (finding.help) made.append(h("p", { class: "help" }, ...words(finding.help)));
  return made;
}

/** The line with carets under what is meant, as in the terminal. */
function excerpt(finding: Finding, text: string): HTMLElement {
  const { start, end } = finding.span;
  const gutter = `${start.line} │ `;
  const last = end.line === start.line ? end.column : [...text].length + 1;
  const carets = "^".repeat(Math.max(1, last - start.column));
  const made = element(
    "pre",
    "",
    element("span", "number", gutter),
    `${text}\n`,
    " ".repeat(gutter.length + start.column - 1),
    element("span", "caret", carets),
  );
  // A focusable box can be scrolled with the keyboard.
  made.tabIndex = 0;
  return made;
}

function footer(inspector: string): HTMLElement {
  return element(
    "footer",
    "",
    h("a", { href: inspector, target: "_blank", rel: "noopener" }, "Open the inspector"),
    ". In development only. To do without it, write ",
    element("code", "", 'overlay = "off"'),
    " under ",
    element("code", "", "[page]"),
    " in ",
    element("code", "", "webagent.toml"),
    ", or ",
    element("code", "", 'data-overlay="off"'),
    " on the script tag.",
  );
}

function count(errors: number): string {
  return errors === 1 ? "an error" : `${errors} errors`;
}

interface Place {
  /** The manifest's name, or the path of a file that is served. */
  path: string;
  line: number;
  column: number;
}

/** Opens a place in the editor; resolves to the reason if that failed. */
type OpenEditor = (place: Place) => Promise<string | undefined>;

/**
 * Let the server open files in the editor of the developer who runs it.
 *
 * @param live URL of the live channel, which holds the token of the page.
 */
export function editorOpener(live: string): OpenEditor {
  const url = new URL("editor", live);
  const token = new URL(live).searchParams.get("token") ?? "";
  return async (place) => {
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "x-webagent-token": token },
        body: JSON.stringify(place),
      });
      return answer.ok ? undefined : (await answer.text()).trim();
    } catch {
      return "the server does not answer - it opens the editor - start it again";
    }
  };
}

/** Styles of the overlay, independent of the site's own. */
const OVERLAY_CSS = `
:host { all: initial; position: fixed; inset: 0; z-index: 2147483647; display: grid;
  grid-template-columns: minmax(0, 1fr); justify-items: center; align-items: start; overflow: auto; overscroll-behavior: contain;
  background: rgb(12 14 20 / .62); padding: clamp(12px, 6vh, 64px) 12px; box-sizing: border-box;
  --card: #14161d; --text: #e7e9f0; --dim: #a9afc0; --edge: #262a36; --code: #0c0e14; --button: #2a2e3b;
  --over: #363b4b; --link: #8ab4ff; --help: #b7e3b0; --red: #ff8f8f; --bar: #ff6b6b; color-scheme: dark; }
@media (prefers-color-scheme: light) { :host { background: rgb(60 64 76 / .5);
  --card: #fff; --text: #181b24; --dim: #565d70; --edge: #e3e5ec; --code: #f3f4f8; --button: #e8eaf1;
  --over: #d9dce7; --link: #1650b8; --help: #1d6a2f; --red: #b3261e; --bar: #d93025; color-scheme: light; } }
.card { box-sizing: border-box; width: min(860px, 100%); background: var(--card); color: var(--text);
  border-radius: 12px; border-top: 5px solid var(--bar); box-shadow: 0 24px 80px rgb(0 0 0 / .5);
  font: 15px/1.5 ui-sans-serif, system-ui, sans-serif; outline: none; }
header { display: flex; gap: 16px; align-items: flex-start; padding: 20px 24px 4px; }
h1 { font-size: 18px; line-height: 1.3; margin: 0; flex: 1; overflow-wrap: anywhere; }
.sub { color: var(--dim); margin: 0; padding: 0 24px 12px; }
.said { margin: 0; padding: 0 24px 14px; color: var(--red); overflow-wrap: anywhere; }
.said:empty { display: none; }
button { font: inherit; color: inherit; border: 0; cursor: pointer; }
.close { flex: none; font-size: 13px; background: var(--button); border-radius: 7px; padding: 5px 11px; }
.close:hover { background: var(--over); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.card:focus-visible { outline: none; }
ol { list-style: none; margin: 0; padding: 0; }
li { padding: 16px 24px; border-top: 1px solid var(--edge); }
.place, .rule, pre, code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.place { color: var(--link); background: none; padding: 0; text-align: start; overflow-wrap: anywhere; }
button.place { text-decoration: underline; text-underline-offset: 3px; text-decoration-thickness: 1px; }
a { color: var(--link); }
.message code, .help code { background: var(--code); border-radius: 4px; padding: 1px 4px; overflow-wrap: anywhere; }
button.place:hover { text-decoration-thickness: 2px; }
.rule { color: var(--dim); float: right; margin-inline-start: 12px; }
.message { margin: 4px 0 0; font-weight: 600; overflow-wrap: anywhere; }
.help { margin: 8px 0 0; color: var(--help); overflow-wrap: anywhere; }
pre { margin: 10px 0 0; padding: 10px 12px; background: var(--code); border-radius: 8px; overflow-x: auto;
  tab-size: 1; }
.caret { color: var(--red); }
.number { color: var(--dim); user-select: none; }
footer { padding: 12px 24px 16px; border-top: 1px solid var(--edge); color: var(--dim); font-size: 13px; }
@media (max-width: 480px) { header, li, footer { padding-inline: 16px; } .sub, .said { padding-inline: 16px; } }
@media (prefers-reduced-motion: no-preference) { .card { animation: in .12s ease-out; } }
@keyframes in { from { transform: translateY(-6px); opacity: 0; } }
`;

/** Call `place` with the room that the panel takes, now and whenever it changes; returns what ends this. */
export function besidePanel(place: (panel: DOMRect | undefined) => void): () => void {
  let watched: Element | null = null;
  const look = () => {
    const panel = document.querySelector("webagent-panel");
    place(panel?.getBoundingClientRect());
    if (panel === watched) return;
    sizes.disconnect();
    watched = panel;
    if (panel) sizes.observe(panel);
  };
  const lookTwice = () => {
    look();
    // By then the others beside the panel have moved too.
    requestAnimationFrame(look);
  };
  const sizes = new ResizeObserver(lookTwice);
  const coming = new MutationObserver(lookTwice);
  coming.observe(document.documentElement, { childList: true });
  addEventListener("resize", lookTwice);
  look();
  return () => {
    sizes.disconnect();
    coming.disconnect();
    removeEventListener("resize", lookTwice);
  };
}

function insetFor({ left, right, top, width, height }: DOMRect): string {
  // On a phone the panel takes the whole width, and minimised a strip at the lower edge.
  if (width > innerWidth / 2 || height < 80) return `0 0 ${Math.ceil(innerHeight - top)}px 0`;
  const side = left > innerWidth - right ? 0 : Math.ceil(right);
  return `0 ${side ? 0 : Math.ceil(innerWidth - left)}px 0 ${side}px`;
}
