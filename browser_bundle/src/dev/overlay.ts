/** The errors of a manifest, over the page, until they are mended or closed. */
import type { Finding } from "../findings.ts";
import { element, shadowHost } from "./element.ts";
import { leaveRoom } from "./room.ts";

const CSS = `
:host { all: initial; position: fixed; inset: 0; z-index: 2147483647; display: grid;
  grid-template-columns: minmax(0, 1fr); justify-items: center; align-items: start; overflow: auto; overscroll-behavior: contain;
  background: rgb(12 14 20 / .62); padding: clamp(12px, 6vh, 64px) 12px; box-sizing: border-box; }
.card { box-sizing: border-box; width: min(860px, 100%); background: #14161d; color: #e7e9f0;
  border-radius: 12px; border-top: 5px solid #ff6b6b; box-shadow: 0 24px 80px rgb(0 0 0 / .5);
  font: 15px/1.5 ui-sans-serif, system-ui, sans-serif; outline: none; }
header { display: flex; gap: 16px; align-items: flex-start; padding: 20px 24px 4px; }
h1 { font-size: 18px; line-height: 1.3; margin: 0; flex: 1; }
.sub { color: #a9afc0; margin: 0; padding: 0 24px 12px; }
button { font: inherit; font-size: 13px; color: #e7e9f0; background: #2a2e3b; border: 0;
  border-radius: 7px; padding: 5px 11px; cursor: pointer; }
button:hover { background: #363b4b; }
button:focus-visible { outline: 2px solid #8ab4ff; outline-offset: 2px; }
ol { list-style: none; margin: 0; padding: 0; }
li { padding: 16px 24px; border-top: 1px solid #262a36; }
.place { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; color: #8ab4ff; }
.rule { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; color: #8d94a8; float: right; }
.message { margin: 4px 0 0; font-weight: 600; overflow-wrap: anywhere; }
.help { margin: 8px 0 0; color: #b7e3b0; overflow-wrap: anywhere; }
pre { margin: 10px 0 0; padding: 10px 12px; background: #0c0e14; border-radius: 8px; overflow-x: auto;
  font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; tab-size: 1; }
.caret { color: #ff8f8f; }
.number { color: #6c7387; user-select: none; }
@media (prefers-reduced-motion: no-preference) { .card { animation: in .12s ease-out; } }
@keyframes in { from { transform: translateY(-6px); opacity: 0; } }
`;

export class Overlay {
  #shown: HTMLElement | undefined;
  #focusBefore: Element | null = null;
  #endRoom = () => {};

  /**
   * Show the errors among `findings`; with none, take the overlay away.
   *
   * @param lines Text of each line that a finding starts on, by line number.
   */
  show(findings: Finding[], lines: Record<string, string>): void {
    const errors = findings.filter((finding) => finding.severity === "error");
    if (errors.length === 0) return this.close();
    const { host, root } = shadowHost("webagent-overlay", CSS);
    root.append(this.#card(errors, lines));
    if (this.#shown?.isConnected) this.#shown.replaceWith(host);
    else {
      this.#focusBefore = document.activeElement;
      document.documentElement.append(host);
      addEventListener("keydown", this.#onKey, true);
    }
    this.#shown = host;
    this.#endRoom();
    this.#endRoom = leaveRoom(host);
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

  #card(errors: Finding[], lines: Record<string, string>): HTMLElement {
    const title = `${errors[0]?.path ?? "The manifest"} has ${count(errors.length)}`;
    const close = element("button", "", "Close (Esc)");
    close.addEventListener("click", () => this.close());
    const card = element(
      "section",
      "card",
      element("header", "", element("h1", "", title), close),
      element("p", "sub", "Until it is mended the page keeps the last version that had no errors."),
      element("ol", "", ...errors.map((error) => item(error, lines))),
    );
    card.tabIndex = -1;
    card.setAttribute("role", "alertdialog");
    card.setAttribute("aria-label", title);
    return card;
  }
}

function item(finding: Finding, lines: Record<string, string>): HTMLElement {
  const { line, column } = finding.span.start;
  const made = element(
    "li",
    "",
    element("span", "rule", finding.rule),
    element("span", "place", `${finding.path}:${line}:${column}`),
    element("p", "message", finding.message),
  );
  const text = lines[String(line)];
  if (text !== undefined) made.append(excerpt(finding, text));
  if (finding.help) made.append(element("p", "help", finding.help));
  return made;
}

/** The line with carets under what is meant, as in the terminal. */
function excerpt(finding: Finding, text: string): HTMLElement {
  const { start, end } = finding.span;
  const gutter = `${start.line} │ `;
  const last = end.line === start.line ? end.column : [...text].length + 1;
  const carets = "^".repeat(Math.max(1, last - start.column));
  return element(
    "pre",
    "",
    element("span", "number", gutter),
    `${text}\n`,
    " ".repeat(gutter.length + start.column - 1),
    element("span", "caret", carets),
  );
}

function count(errors: number): string {
  return errors === 1 ? "an error" : `${errors} errors`;
}
