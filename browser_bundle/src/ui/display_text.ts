/** Texts of pages for display: hidden characters are made visible, and long texts are cut. */
import { visible } from "./text_parts.ts";

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
