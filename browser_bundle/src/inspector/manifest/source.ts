/** The text of a manifest with the numbers of its lines; lines with findings are marked. */
import { h } from "../../ui/elements.ts";
import { visible } from "../../ui/display_text.ts";
import type { Finding } from "../api_types.ts";

/** Lines that are shown. */
const MOST_LINES = 20_000;
/** Characters of a line that are shown. */
const MOST_LINE = 2000;

const ORDER = ["info", "warning", "error"];

export class SourceText {
  readonly element: HTMLElement;
  #lines: HTMLElement[];

  constructor(text: string, findings: readonly Finding[]) {
    const marks = new Map<number, string>();
    for (const { severity, span } of findings) {
      const before = marks.get(span.start.line) ?? "";
      if (ORDER.indexOf(severity) > ORDER.indexOf(before)) marks.set(span.start.line, severity);
    }
    const lines = text.split(/\r\n?|\n/);
    this.#lines = lines.slice(0, MOST_LINES).map((content, place) => {
      const mark = marks.get(place + 1);
      const cut = content.length > MOST_LINE ? `${content.slice(0, MOST_LINE)}…` : content;
      return h(
        "li",
        { class: mark ?? "", tabindex: "-1" },
        mark && h("span", { class: "unseen" }, `${mark}: `),
        h("span", { class: "line", dir: "auto" }, visible(cut) || "\u200b"),
      );
    });
    const more = lines.length > MOST_LINES && h("p", { class: "quiet" }, `and ${lines.length - MOST_LINES} more lines`);
    this.element = h(
      "div",
      { class: "source-scroll", tabindex: "0", role: "region", "aria-label": "Source with line numbers" },
      h("ol", { class: "source" }, ...this.#lines),
      more,
    );
  }

  /** Bring a line into sight and mark the place in it. */
  jump(line: number, column: number): void {
    const target = this.#lines[Math.min(line, this.#lines.length) - 1];
    if (!target) return;
    for (const other of this.#lines) other.classList.remove("here");
    target.classList.add("here");
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
    const text = target.querySelector(".line")?.firstChild;
    // Columns count characters, the selection counts code units; of a long line only the start is there.
    const offset = [...(text?.textContent ?? "")].slice(0, column - 1).join("").length;
    if (text) getSelection()?.collapse(text, Math.min(offset, text.textContent?.length ?? 0));
  }
}
