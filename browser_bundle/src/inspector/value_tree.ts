/** A value as a tree that unfolds: what is not seen is not made. */
import { button, h } from "../ui/elements.ts";
import { code, longText } from "../ui/widgets.ts";
import { counted } from "../ui/display_text.ts";
import { shown } from "./values_shown.ts";

/** Entries that are shown at once. */
const AT_ONCE = 100;
/** Entries of a value that is unfolded from the start. */
const UNFOLDED = 30;

export function valueTree(value: unknown): HTMLElement {
  return h("div", { class: "tree" }, node("", value, 0));
}

function node(label: string, value: unknown, level: number): HTMLElement {
  const { kind, text, inside, whole } = shown(value);
  const name = label !== "" && h("span", { class: "label" }, code(label, 120), ": ");
  const line = [name, h("span", { class: `value ${kind}`, dir: "auto" }, text)];
  if (!inside) {
    return whole === undefined ? h("div", { class: "leaf" }, ...line) : unfolding(line, () => [longText(whole, 5000, "pre")], false);
  }
  // What is unfolded is seen below; its line says how much that is.
  line.push(h("span", { class: "said" }, inside.said));
  const children = () => [list(inside.entries()[Symbol.iterator](), level + 1, inside.count)];
  return unfolding(line, children, level < 2 && inside.count <= UNFOLDED);
}

/** A line that shows more when it is opened, which is made then. */
function unfolding(line: (HTMLElement | false)[], content: () => Node[], open: boolean): HTMLElement {
  const made = h("details", {}, h("summary", {}, ...line));
  const fill = () => made.childElementCount === 1 && made.append(...content());
  made.addEventListener("toggle", () => made.open && fill());
  if (open) {
    made.open = true;
    fill();
  }
  return made;
}

function list(entries: Iterator<[string, unknown]>, level: number, count: number): HTMLElement {
  const made = h("ul");
  let done = 0;
  const add = () => {
    for (let n = 0; n < AT_ONCE; n++, done++) {
      const next = entries.next();
      if (next.done) return;
      made.append(h("li", {}, node(next.value[0], next.value[1], level)));
    }
    if (done >= count) return;
    const more = h("li", {}, button("link", `show more (${counted(count - done, "entry").replace("entrys", "entries")})`, () => {
      more.remove();
      add();
    }));
    made.append(more);
  };
  add();
  return made;
}
