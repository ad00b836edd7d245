/** Shows data of a run: arguments, results, programs. Long data is cut until it is unfolded. */
import { button, h } from "../ui/elements.ts";
import type { Texts } from "./panel_texts.ts";

/** Characters that are shown at first, and the most when unfolded. */
const SHOWN = 800;
const MOST_SHOWN = 100_000;
/** Characters of a value within a line. */
const BRIEF = 60;

/** A value as text: strings unquoted, everything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return String(value);
  }
}

/** A value in a line: `"tolkien"`, `[…]`. */
export function brief(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? "";
  } catch {
    text = String(value);
  }
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text;
}

/** A block of text that can be unfolded when it is long. */
export function block(value: unknown, texts: Texts): HTMLElement {
  const text = textOf(value).slice(0, MOST_SHOWN);
  const pre = h("pre", { dir: "auto" }, text.slice(0, SHOWN));
  if (text.length <= SHOWN) return pre;
  pre.append("…");
  const more = button("link", texts.show_all, () => {
    pre.textContent = text;
    more.remove();
  });
  return h("div", {}, pre, more);
}

/** A list of names and values. */
export function pairs(values: Record<string, unknown>, texts: Texts): HTMLElement {
  const list = h("dl");
  for (const [name, value] of Object.entries(values)) {
    list.append(h("dt", {}, name), h("dd", {}, block(value, texts)));
  }
  return list;
}
