/** Edits of a text that keep all lines, and all columns except after an insertion. */

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A place in a text for people: line and column count from 1, columns in code points. */
export interface Place {
  line: number;
  column: number;
}

const BREAK = /[\n\r\u2028\u2029]/;
const BREAKS = /\r\n|[\n\r\u2028\u2029]/g;

export class Edits {
  #source: string;
  #edits: Edit[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  /** Replace a range by spaces, with `first` and `last` as its first and last character. */
  blank(start: number, end: number, first = "", last = ""): void {
    if (end <= start) return;
    const middle = this.#source.slice(start + first.length, end - last.length);
    const text = first + middle.replace(/[^\n\r\u2028\u2029]/g, " ") + last;
    this.#edits.push({ start, end, text });
  }

  /** Insert a text before an offset. */
  insert(offset: number, text: string): void {
    this.#edits.push({ start: offset, end: offset, text });
  }

  /** Whether a text is inserted before an offset. */
  hasInsertion(offset: number): boolean {
    return this.#edits.some(({ start, end }) => start === offset && end === offset);
  }

  /** The character at an offset of the source. */
  at(offset: number): string | undefined {
    return this.#source[offset];
  }

  /** Whether a range contains a line break. */
  breaks(start: number, end: number): boolean {
    return BREAK.test(this.#source.slice(start, end));
  }

  /** The edited text, and a map of its places to those of the source. */
  apply(): { code: string; placeOf: (line: number, column: number) => Place } {
    const isBlank = (edit: Edit) => Number(edit.end > edit.start);
    const edits = this.#edits.toSorted(
      (a, b) => a.start - b.start || isBlank(a) - isBlank(b) || b.end - a.end,
    );
    const insertions: Edit[] = [];
    let code = "";
    let done = 0;
    for (const edit of edits) {
      // This edit is inside a range that is blank already.
      if (edit.start < done) continue;
      code += this.#source.slice(done, edit.start) + edit.text;
      done = edit.end;
      if (edit.start === edit.end) insertions.push(edit);
    }
    code += this.#source.slice(done);
    const starts = lineStarts(this.#source);
    const placeOf = (line: number, column: number): Place => {
      const start = starts[line - 1] ?? this.#source.length;
      const end = starts[line] ?? this.#source.length + 1;
      let offset = start + column - 1;
      for (const { start: at, text } of insertions) {
        if (at >= start && at < end && at < offset) offset = Math.max(at, offset - text.length);
      }
      return placeAt(this.#source, Math.min(offset, end - 1), starts);
    };
    return { code, placeOf };
  }
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (const match of source.matchAll(BREAKS)) starts.push(match.index + match[0].length);
  return starts;
}

/** The place of an offset. */
export function placeAt(source: string, offset: number, starts = lineStarts(source)): Place {
  const line = starts.findLastIndex((start) => start <= offset) + 1;
  return { line, column: [...source.slice(starts[line - 1], offset)].length + 1 };
}
