/** The errors of a manifest, over the page, until they are mended or closed. */
import type { Finding } from "../findings.ts";
import type { OpenEditor } from "./editor.ts";
import { element, shadowHost } from "./element.ts";
import { OVERLAY_CSS } from "./overlay_css.ts";
import { leaveRoom } from "./room.ts";

export class Overlay {
  #open: OpenEditor;
  #shown: HTMLElement | undefined;
  #focusBefore: Element | null = null;
  #endRoom = () => {};

  /** @param open Opens a file in the editor of whoever runs the server. */
  constructor(open: OpenEditor) {
    this.#open = open;
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
      // Beside the card; a click that ends a selection of text is none.
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

  #card(errors: Finding[], lines: Record<string, string>, editable: boolean): HTMLElement {
    const title = `${errors[0]?.path ?? "The manifest"} has ${count(errors.length)}`;
    const close = element("button", "close", "Close (Esc)");
    close.addEventListener("click", () => this.close());
    const said = element("p", "said");
    said.setAttribute("role", "status");
    const open = editable ? (finding: Finding) => void this.#openAt(finding, said) : undefined;
    const card = element(
      "section",
      "card",
      element("header", "", element("h1", "", title), close),
      element("p", "sub", "Until it is mended the page keeps the last version that had no errors."),
      said,
      element("ol", "", ...errors.map((error) => item(error, lines, open))),
      footer(),
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
  const made = element(
    "pre",
    "",
    element("span", "number", gutter),
    `${text}\n`,
    " ".repeat(gutter.length + start.column - 1),
    element("span", "caret", carets),
  );
  // A box that scrolls can be scrolled with the keyboard.
  made.tabIndex = 0;
  return made;
}

function footer(): HTMLElement {
  return element(
    "footer",
    "",
    "In development only. To do without it, write ",
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
