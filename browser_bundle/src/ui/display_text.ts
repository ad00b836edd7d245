/** Texts of pages for display: hidden characters are made visible, and long texts are cut. */

/** Characters that are invisible, or that change how others are read. */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** The visible name of a hidden character: `⟨202E⟩`. */
function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A text with every hidden character named. */
export function visible(text: string): string {
  return text.replace(HIDDEN, named);
}

/** The beginning of a text, with `…` where there is more; hidden characters are named. */
export function brief(text: string, most: number): string {
  return text.length > most ? `${visible(upTo(text, most))}…` : visible(text);
}

/** A text as one line. */
export function line(text: string, most: number): string {
  return brief(upTo(text, most * 2 + 1).replace(/\s+/g, " ").trim(), most);
}

/** The first characters, without half of a surrogate pair at the end. */
export function upTo(text: string, most: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return text.length > most ? text.slice(0, end) : text;
}

/** A value in a line: `"tolkien"`, `{"a": 1}`; a large value is cut before it is written. */
export function inLine(value: unknown, most: number): string {
  if (typeof value === "string") return brief(JSON.stringify(upTo(value, most + 1)), most);
  let left = most + 1;
  const short = (inner: unknown, level: number): string => {
    if (left <= 0) return "…";
    if (typeof inner === "string") {
      left -= inner.length + 2;
      return JSON.stringify(upTo(inner, most + 1));
    }
    if (typeof inner !== "object" || inner === null) {
      left -= 4;
      return JSON.stringify(inner) ?? "undefined";
    }
    if (level > 4) return "…";
    const parts: string[] = [];
    const isList = Array.isArray(inner);
    for (const [name, one] of Object.entries(inner)) {
      if (left <= 0) {
        parts.push("…");
        break;
      }
      left -= 2;
      if (!isList) left -= name.length;
      parts.push(isList ? short(one, level + 1) : `${upTo(name, most)}: ${short(one, level + 1)}`);
    }
    return isList ? `[${parts.join(", ")}]` : parts.length > 0 ? `{ ${parts.join(", ")} }` : "{}";
  };
  return brief(short(value, 0), most);
}

/** `1,204 characters`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

/** `1.2 s`, `340 ms`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  return ms < 90_000 ? `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s` : `${Math.round(ms / 60_000)} min`;
}
