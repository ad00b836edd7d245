/** Reads JSON that a person wrote, and explains its first error. */

type JsonReading =
  | { ok: true; value: unknown }
  /** `at` is the offset of the error; line and column count from 1. */
  | { ok: false; message: string; at: number; line: number; column: number };

export function readJson(text: string): JsonReading {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    const { at, message } = new JsonScanner(text).fault();
    const before = text.slice(0, at).split("\n");
    return { ok: false, message, at, line: before.length, column: (before.at(-1) ?? "").length + 1 };
  }
}

interface Fault {
  at: number;
  message: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[\p{L}\p{N}_$.]+/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Scans a text that is not JSON up to its first error; loops instead of recursion allow any depth. */
class JsonScanner {
  #text: string;
  #at = 0;
  /** The open brackets: `[` or `{`. */
  #open: { mark: "[" | "{"; at: number }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  fault(): Fault {
    return this.#walk() ?? { at: this.#text.length, message: "it is not JSON" };
  }

  #walk(): Fault | undefined {
    for (;;) {
      this.#take(SPACE);
      const mark = this.#text[this.#at];
      if (mark === "{" || mark === "[") {
        this.#open.push({ mark, at: this.#at++ });
        this.#take(SPACE);
        const close = mark === "{" ? "}" : "]";
        if (this.#text[this.#at] !== close) {
          const fault = mark === "{" ? this.#name() : undefined;
          if (fault) return fault;
          continue;
        }
      } else {
        const fault = this.#scalar();
        if (fault) return fault;
      }
      const after = this.#after();
      if (after !== "more") return after;
    }
  }

  /** Read what follows a value: closing brackets, then a comma and more, or the end. */
  #after(): Fault | "more" | undefined {
    for (;;) {
      this.#take(SPACE);
      const next = this.#text[this.#at];
      const open = this.#open.at(-1);
      if (!open) return next === undefined ? undefined : this.#say("nothing may follow after the value");
      if (next === (open.mark === "{" ? "}" : "]")) {
        this.#open.pop();
        this.#at++;
      } else if (next === ",") {
        const comma = this.#at++;
        this.#take(SPACE);
        if (/[\]}]/.test(this.#text[this.#at] ?? "")) {
          return { at: comma, message: "there is a comma too many - take it out" };
        }
        return (open.mark === "{" && this.#name()) || "more";
      } else if (next === undefined) {
        const close = open.mark === "{" ? "}" : "]";
        return this.#say(`the \`${open.mark}\` has no end - write \`${close}\``);
      } else {
        return this.#say(`a comma or \`${open.mark === "{" ? "}" : "]"}\` is missing here`);
      }
    }
  }

  /** Read the name of a member and its colon. */
  #name(): Fault | undefined {
    if (this.#text[this.#at] !== '"') {
      const said = this.#text[this.#at] === undefined ? "a name is missing" : "the name of a member needs double quotes";
      return this.#say(`${said} - write \`"name": value\``);
    }
    const fault = this.#string();
    if (fault) return fault;
    this.#take(SPACE);
    if (this.#text[this.#at] !== ":") return this.#say("a colon is missing after the name");
    this.#at++;
    return undefined;
  }

  #scalar(): Fault | undefined {
    const mark = this.#text[this.#at];
    if (mark === '"') return this.#string();
    if (mark === undefined) return this.#say("a value is missing");
    if (mark === "'" || mark === "`") return this.#say('a text needs double quotes: `"…"`');
    const begin = this.#at;
    if (this.#take(NUMBER) && !this.#take(WORD)) return undefined;
    this.#at = begin;
    const word = this.#take(WORD);
    if (["true", "false", "null"].includes(word)) return undefined;
    this.#at = begin;
    if (!word) return this.#say(`\`${mark}\` is not allowed here`);
    if (/^\d/.test(word)) return this.#say(`\`${word}\` is not a number in JSON`);
    return this.#say(`\`${word}\` is neither true, false, null nor a text - a text needs double quotes`);
  }

  #string(): Fault | undefined {
    const begin = this.#at++;
    for (;;) {
      const mark = this.#text[this.#at];
      if (mark === undefined) return { at: begin, message: "the text has no end - write `\"`" };
      if (mark === "\\") {
        if (!this.#take(ESCAPE)) return this.#say("there is no such escape - write `\\\\` for a backslash");
      } else if (mark < " ") {
        return this.#say(mark === "\n" ? "a text cannot have a line break - write `\\n`" : "a text cannot have a control character");
      } else {
        this.#at++;
        if (mark === '"') return undefined;
      }
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #say(message: string): Fault {
    return { at: this.#at, message };
  }
}
