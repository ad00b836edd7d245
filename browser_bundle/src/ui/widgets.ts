/** Small parts that all views use. */
import { brief, counted, upTo } from "./display_text.ts";
import { button, h, words, type Child } from "./elements.ts";
import { visible } from "./text_parts.ts";

/** Characters that a press of "show more" adds. */
const MORE = 50_000;

/** From this length on a block of text may scroll, so it gets the focus for the keyboard. */
const SCROLLS = 200;

/**
 * A text of a page, cut to a length, with the rest on demand.
 *
 * @param kind An element; `code` is a `pre` with colours.
 */
export function longText(text: string, most: number, kind: "p" | "pre" | "span" | "code" = "p"): HTMLElement {
  const name = kind === "code" ? "pre" : kind;
  const made = h(name, { dir: "auto", ...(name === "pre" && text.length > SCROLLS && { tabindex: "0" }) });
  const show = (end: number) => {
    const part = visible(upTo(text, end));
    made.replaceChildren(h("span", {}, ...(kind === "code" ? coloured(part) : kind === "pre" ? [part] : words(part))));
    if (text.length <= end) return;
    const more = button("link", `show more (${counted(text.length - end, "character")})`, () => show(end + MORE));
    made.append("… ", more);
  };
  show(most);
  return made;
}

/** Words of JavaScript, TypeScript, Python and the shell that have a meaning of their own. */
const KEYWORDS =
  "any|as|async|await|boolean|class|const|curl|declare|def|else|export|false|for|from|function|if|import|in|interface|" +
  "let|namespace|never|new|null|number|object|print|readonly|return|string|true|type|typeof|undefined|unknown|void|with|" +
  "None|True|False";

/** A comment, a string with what follows it, a number or a keyword. Each part has an end within its line, or a limit. */
const TOKEN = new RegExp(
  String.raw`(?<comment>/\*[^]{0,2000}?\*/|//.*|^#.*)` +
    String.raw`|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')(?<name>\s{0,9}:)?` +
    String.raw`|(?<number>\b\d[\d_.]*\b)|(?<word>\b(?:${KEYWORDS})\b)`,
  "gm",
);

/** Code with its parts in colours, made of nodes. */
export function coloured(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { comment, string, name, number } = match.groups ?? {};
    const kind = comment ? "comment" : string ? (name ? "tag" : "string") : number ? "number" : "word";
    const length = string?.length ?? match[0].length;
    parts.push(text.slice(end, match.index), h("span", { class: `in-${kind}` }, text.slice(match.index, match.index + length)));
    end = match.index + length;
  }
  return [...parts, text.slice(end)];
}

/** A name from a page in code style, isolated from the direction of the surrounding text. */
export function code(text: string, most = 200): HTMLElement {
  return h("code", { dir: "auto", ...(text.length > most && { title: upTo(visible(text), 1000) }) }, brief(text, most));
}

/** A button that copies a text and confirms it. */
export function copyButton(text: () => string, label = "Copy"): HTMLButtonElement {
  const made = button("small", label, () => {
    const said = (words: string) => {
      made.textContent = words;
      setTimeout(() => (made.textContent = label), 1500);
    };
    navigator.clipboard.writeText(text()).then(
      () => said("Copied"),
      () => said("Not allowed"),
    );
  });
  return made;
}

/** A note for a view that has nothing to show yet. */
export function empty(title: string, ...more: Child[]): HTMLElement {
  return h("div", { class: "empty" }, h("p", { class: "lead" }, ...words(title)), ...more);
}

/** A short word in a box. */
export function chip(text: string, kind = "", title = ""): HTMLElement {
  return h("span", { class: `chip ${kind}`, ...(title && { title }) }, text);
}

/** An error: kind, place, message, help. */
export function fault(error: { kind: string; message: string; path?: string; help?: string; tool?: string }): HTMLElement {
  return h(
    "div",
    { class: "fault" },
    h(
      "p",
      {},
      h("strong", {}, brief(error.kind, 60)),
      error.path && h("span", {}, " at ", code(error.path)),
      error.tool && h("span", {}, " in ", code(error.tool)),
    ),
    longText(error.message, 1000),
    error.help && h("p", { class: "quiet", dir: "auto" }, ...words(brief(error.help, 2000))),
  );
}

/** Content that is made when it is unfolded. */
export function fold(title: Child, content: () => Node, open = false): HTMLDetailsElement {
  const made = h("details", { class: "fold" }, h("summary", {}, title));
  const fill = () => made.childElementCount === 1 && made.append(content());
  made.addEventListener("toggle", () => made.open && fill());
  if (open) {
    made.open = true;
    fill();
  }
  return made;
}

/** Key in sessionStorage of the entries of a person, by name. */
const KEPT = "webagent.inspector";

/** The entry that was kept under a name before this tab was reloaded. */
export function kept<Value>(name: string, otherwise: Value): Value {
  const value = allKept()[name];
  return typeof value === typeof otherwise ? (value as Value) : otherwise;
}

/** Keep something for a reload of this tab. */
export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ ...allKept(), [name]: value }));
  } catch {
    // Without storage, or with more than it takes, a reload forgets it.
  }
}

function allKept(): Record<string, unknown> {
  try {
    return (JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

/** Download a text as a file. */
export function download(name: string, type: string, text: string): void {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

let ids = 0;

/** An id that is unique on the page. */
export function freshId(): string {
  return `i${++ids}`;
}
