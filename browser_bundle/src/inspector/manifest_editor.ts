/** A plain editor for a manifest: a text field with line numbers, in which findings have their mark. */
import { counted } from "../ui/display_text.ts";
import { h } from "../ui/elements.ts";

/** Most characters of a text; more would hold up the page on each key. */
export const MOST_CHARACTERS = 100_000;

/** Most lines that browsers insert as typing does; their time grows with the square of the lines. */
const MOST_LINES = 300;

/** An edit of a fix; offsets count code points. */
interface Edit {
  start_offset: number;
  end_offset: number;
  text: string;
}

export class ManifestEditor {
  readonly element: HTMLElement;
  #field = h("textarea", { id: "manifest", wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
  #numbers = h("div", { class: "numbers-shown" });
  #lines = 1;
  #marks: ReadonlyMap<number, string> = new Map();
  #onChange: (before?: string) => void;

  /**
   * @param onChange Called after each change of the text; with the text before if the browser cannot undo it.
   * @param onTooLong Called when a text is refused because of its length.
   */
  constructor(onChange: (before?: string) => void, onTooLong: () => void) {
    this.#onChange = onChange;
    this.element = h("div", { class: "editor" }, h("div", { class: "line-numbers", "aria-hidden": "true" }, this.#numbers), this.#field);
    this.#field.addEventListener("beforeinput", (event) => {
      const added = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
      const { selectionStart, selectionEnd, value } = this.#field;
      const isTooLong = added !== "" && value.length - (selectionEnd - selectionStart) + added.length > MOST_CHARACTERS;
      if (!isTooLong && !hasManyLines(added)) return;
      event.preventDefault();
      if (isTooLong) onTooLong();
      else this.#type(selectionStart, selectionEnd, added.replace(/\r\n?/g, "\n"));
    });
    this.#field.addEventListener("input", () => this.#changed());
    this.#field.addEventListener("scroll", () => this.#showNumbers());
    new ResizeObserver(() => this.#showNumbers()).observe(this.#field);
  }

  get text(): string {
    return this.#field.value;
  }

  /** Begin with a text. */
  begin(text: string): void {
    this.#field.value = text;
    this.#changed();
  }

  /** Replace the whole text. */
  replace(text: string): void {
    this.#type(0, this.#field.value.length, text);
    this.#field.setSelectionRange(0, 0);
    this.#field.scrollTop = 0;
  }

  /** Make the edits of a fix. */
  fix(edits: readonly Edit[]): void {
    const characters = [...this.text];
    const at = (offset: number) => characters.slice(0, offset).join("").length;
    // The last one first, so that the offsets of the others stay right.
    for (const { start_offset, end_offset, text } of [...edits].sort((a, b) => b.start_offset - a.start_offset)) {
      this.#type(at(start_offset), at(end_offset), text);
    }
  }

  /** Mark lines with the severity of their findings. */
  mark(marks: ReadonlyMap<number, string>): void {
    this.#marks = marks;
    this.#showNumbers();
  }

  /** Select a place, and scroll it into view. */
  jump(line: number, column: number): void {
    const lines = this.text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const offset = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.#field.focus();
    this.#field.setSelectionRange(offset, offset);
    this.#field.scrollTop = (line - 4) * this.#lineHeight;
  }

  /** Change a part of the text, so that the browser can undo it unless it is long. */
  #type(start: number, end: number, text: string): void {
    if (start === end && text === "") return;
    this.#field.focus();
    if (hasManyLines(text)) {
      const before = this.text;
      this.#field.setRangeText(text, start, end, "end");
      this.#changed(before);
      return;
    }
    this.#field.setSelectionRange(start, end);
    // Deprecated, but all other ways to change a field empty the browser's own undo.
    document.execCommand(text === "" ? "delete" : "insertText", false, text);
  }

  #changed(before?: string): void {
    this.#lines = this.text.split("\n").length;
    this.#showNumbers();
    this.#onChange(before);
  }

  get #lineHeight(): number {
    return parseFloat(getComputedStyle(this.#field).lineHeight);
  }

  /** Only the visible lines have a number, as a long text has too many of them for each key. */
  #showNumbers(): void {
    const { scrollTop, clientHeight } = this.#field;
    const height = this.#lineHeight;
    const first = Math.floor(scrollTop / height);
    const last = Math.min(this.#lines, first + Math.ceil(clientHeight / height) + 1);
    const numbers = Array.from({ length: Math.max(0, last - first) }, (_, place) => {
      const line = first + place + 1;
      return h("div", { class: this.#marks.get(line) ?? "" }, String(line));
    });
    this.#numbers.replaceChildren(...numbers);
    this.#numbers.style.transform = `translateY(${first * height - scrollTop}px)`;
  }
}

function hasManyLines(text: string): boolean {
  return text.split("\n", MOST_LINES + 1).length > MOST_LINES;
}

/** The notice about a text that is too long. */
export const TOO_LONG =
  `A text has at most ${counted(MOST_CHARACTERS, "character")} on this page, so nothing was changed. ` +
  "`webagent-dev check` reads longer files.";
