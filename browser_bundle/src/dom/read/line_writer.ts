/** Writes a page's text as lines, with marks for its elements. */
import { line, lines } from "./page_text.ts";

export interface Line {
  text: string;
  /** The text without numbers and states, by which new lines are detected. */
  key: string;
  /** Numbers of the elements in it. */
  ids: number[];
  /** Level of the heading; 0 for other lines. */
  level: number;
  /** Number of the navigation, sidebar or footer around the line; 0 for none. */
  side: number;
}

/** Most characters of a line, and of the row of a table. */
const LONGEST = 2000;
const LONGEST_ROW = 10_000;

export class LineWriter {
  readonly lines: Line[] = [];
  /** Whether text was left out because of the limit. */
  full = false;
  /** Number of the navigation, sidebar or footer around the next text; 0 for none. */
  side = 0;
  #side = 0;
  #left: number;
  #text = "";
  #key = "";
  #ids: number[] = [];
  /** Whether the line ends with a mark. */
  #marked = false;
  #level = 0;
  #prefix = "";
  #rows = 0;
  #cells = 0;

  /** @param most Limit of characters. */
  constructor(most: number) {
    this.#left = most;
  }

  /** Add text of the page. */
  text(value: string): void {
    const kept = value.slice(0, this.#left + 1);
    // Text that looks like a mark is escaped.
    const seen = line(kept, kept.length + 1).replace(/\[(?=\d+\])/g, "\\[");
    const apart = /^\s/.test(kept) || (this.#marked && /^[\p{L}\p{N}]/u.test(seen));
    const space = this.#text && apart ? " " : "";
    if (seen) this.#add(space + seen + (/\s/.test(kept.at(-1) ?? "") ? " " : ""), `${space}${seen} `);
    else if (kept && this.#text) this.#add(" ", " ");
  }

  /** Add text whose line breaks and spaces count. */
  rows(value: string): void {
    value.split("\n", 2000).forEach((row, index) => {
      if (index > 0) this.block();
      const seen = lines(row, 1000)
        .replace(/\t/g, "  ")
        .replace(/\[(?=\d+\])/g, "\\[");
      if (seen) this.#add(seen, seen, true);
    });
  }

  /** Add the mark of an element. */
  mark(id: number, text: string, key: string): void {
    if (this.#text && !/[\s(“]/.test(this.#text.at(-1) ?? "")) this.#add(" ", " ");
    if (this.#add(text, key)) this.#ids.push(id);
    this.#marked = true;
  }

  /** Add an element without a mark to the current line. */
  note(id: number): void {
    this.#ids.push(id);
  }

  /** Make the current line, or the next one, a heading. */
  heading(level: number): void {
    if (!this.#level || !this.#text) this.#level = level;
  }

  /** Put the marker of a list item before the next text. */
  item(sign: string): void {
    this.block();
    if (this.#rows === 0) this.#prefix = sign;
  }

  endItem(): void {
    this.block();
    this.#prefix = "";
  }

  /** Start a new line, except within a row. */
  block(): void {
    if (this.#rows > 0) {
      if (this.#text && !this.#text.endsWith(" ")) this.#add(" ", " ");
      return;
    }
    this.#end();
  }

  row(): void {
    this.#end();
    this.#rows += 1;
    this.#cells = 0;
  }

  endRow(): void {
    this.#rows -= 1;
    this.#end();
  }

  cell(): void {
    if (this.#rows === 0) return;
    if (this.#cells > 0) this.#add(" | ", " ");
    this.#cells += 1;
  }

  /** @param exact Whether consecutive spaces are kept. */
  #add(text: string, key: string, exact = false): boolean {
    if (this.#left <= 0) {
      this.full = true;
      return false;
    }
    // A page without block elements would be a single line.
    if (this.#text.length > (this.#rows > 0 ? LONGEST_ROW : LONGEST)) this.#end();
    if (!this.#text) this.#side = this.side;
    const fresh = !exact && this.#text.endsWith(" ") ? text.replace(/^ +(?!\|)/, "") : text;
    this.#marked = false;
    this.#text += fresh;
    this.#key += key;
    this.#left -= fresh.length;
    return true;
  }

  #end(): void {
    let text = this.#text.trimEnd();
    while (text.endsWith(" |")) text = text.slice(0, -2).trimEnd();
    const wordless = text.trim() === "";
    if (!wordless || this.#ids.length > 0) {
      const sign = this.#level ? `${"#".repeat(this.#level)} ` : "";
      const shown = wordless ? "" : this.#prefix + sign + (this.#prefix || sign ? text.trimStart() : text);
      this.lines.push({ text: shown, key: line(this.#key, 500), ids: this.#ids, level: this.#level, side: this.#side });
      if (!wordless) this.#prefix = "";
    }
    this.#text = this.#key = "";
    this.#marked = false;
    this.#ids = [];
    this.#level = 0;
  }

  /** All lines, including the last one. */
  finish(): Line[] {
    this.#rows = 0;
    this.#end();
    return this.lines;
  }
}
