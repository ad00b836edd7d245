/** Small parts that all views use. */
import { brief, counted, upTo } from "./display_text.ts";
import { button, h, words, type Child } from "./elements.ts";
import { visible } from "./text_parts.ts";

/** Characters that a press of "show more" adds. */
const MORE = 50_000;

/** From this length on a block of text may scroll, so it gets the focus for the keyboard. */
const SCROLLS = 200;

/** A text of a page, cut to a length, with the rest on demand. */
export function longText(text: string, most: number, name: "p" | "pre" | "span" = "p"): HTMLElement {
  const made = h(name, { dir: "auto", ...(name === "pre" && text.length > SCROLLS && { tabindex: "0" }) });
  const show = (end: number) => {
    const part = visible(upTo(text, end));
    made.replaceChildren(h("span", {}, ...(name === "pre" ? [part] : words(part))));
    if (text.length <= end) return;
    const more = button("link", `show more (${counted(text.length - end, "character")})`, () => show(end + MORE));
    made.append("… ", more);
  };
  show(most);
  return made;
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
