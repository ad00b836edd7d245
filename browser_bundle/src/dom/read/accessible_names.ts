/** Names of elements: a small subset of accname and HTML-AAM that terminates on every page. */
import { isField, isNamedByContent, roleOf } from "./aria_roles.ts";
import {
  all, attr, byId, has, isElement, nearest, renderedChildren, styleOf, tagOf, typeOf, valueOfText,
} from "./nodes.ts";
import { line } from "./page_text.ts";

/** Longest name that is returned. */
const LONGEST = 160;
/** Most nodes that are read for a name, and their greatest depth. */
const MOST_NODES = 400;
const DEEPEST = 80;

/** A name, and whether it contains all of the element's content. */
interface Name {
  text: string;
  isContent: boolean;
}

export function nameOf(element: Element, role: string): Name {
  const named = namedBy(element) || line(attr(element, "aria-label"), LONGEST);
  if (named) return { text: named, isContent: false };
  const own = ownName(element);
  if (own) return { text: own, isContent: false };
  if (isNamedByContent(role)) {
    const read = new NameReader(element);
    const text = line(read.text(element), LONGEST);
    if (text) return { text, isContent: read.left > 0 && text.length < LONGEST };
  }
  const hint = attr(element, "title") || attr(element, "placeholder") || attr(element, "aria-placeholder");
  if (hint) return { text: line(hint, LONGEST), isContent: false };
  return { text: isField(role) ? labelParts(element) : "", isContent: false };
}

/** The texts of the elements in `aria-labelledby`. */
function namedBy(element: Element): string {
  return line(textsOf(element, "aria-labelledby"), LONGEST);
}

/** The texts of the elements whose ids an attribute lists. */
function textsOf(element: Element, attribute: string): string {
  const ids = attr(element, attribute)?.split(/\s+/, 10).filter(Boolean) ?? [];
  return ids
    .map((id) => byId(element, id))
    .map((target) => (target ? line(attr(target, "aria-label")) || new NameReader(element, true).text(target) : ""))
    .join(" ");
}

/** The description of an element, in addition to its name. */
export function descriptionOf(element: Element, name: string): string {
  const said =
    textsOf(element, "aria-describedby") || attr(element, "aria-description") || attr(element, "title") || "";
  const error = attr(element, "aria-invalid") === "true" ? textsOf(element, "aria-errormessage") : "";
  const text = line(`${said} ${error}`);
  return text === name ? "" : text;
}

/** The texts of the labels of a field. */
export function labelOf(field: Element): string {
  const labels = (field as HTMLInputElement).labels;
  return labels ? line(Array.from(labels, (label) => new NameReader(field, true).text(label)).join(" "), LONGEST) : "";
}

function ownName(element: Element): string {
  const tag = tagOf(element);
  const attribute = (name: string): string => line(attr(element, name), LONGEST);
  switch (tag) {
    case "input": {
      const { type } = element as HTMLInputElement;
      if (/^(button|submit|reset)$/.test(type)) {
        return (
          line((element as HTMLInputElement).value, LONGEST) ||
          (type === "button" ? "" : type === "reset" ? "Reset" : "Submit")
        );
      }
      if (type === "image") return attribute("alt") || attribute("title") || "Submit";
      return labelOf(element);
    }
    case "select":
    case "textarea":
    case "output":
    case "meter":
    case "progress":
      return labelOf(element);
    case "button":
      return isWordless(element) ? labelOf(element) : "";
    case "img":
    case "area":
      return attribute("alt");
    case "iframe":
      return attribute("title") || attribute("name");
    case "fieldset":
      return childText(element, "legend");
    case "table":
      return childText(element, "caption");
    case "optgroup":
      return attribute("label");
    case "svg":
      return childText(element, "title");
    default:
      return tag.includes("-") ? labelOf(element) || attribute("label") : "";
  }
}

const isWordless = (element: Element): boolean => line(new NameReader(element).text(element)) === "";

function childText(element: Element, tag: string): string {
  const child = Array.from(element.children ?? []).find((inner) => tagOf(inner) === tag);
  return child ? line(new NameReader(element, true).text(child), LONGEST) : "";
}

/** The text in front of a field without a label, in its row or just before it. */
function labelParts(field: Element): string {
  const cell = nearest(field, "td");
  const before = cell ? cell.previousElementSibling : field.previousElementSibling;
  const near = field.previousSibling;
  if (!cell && near && typeOf(near) === 3 && line(valueOfText(near)))
    return line(valueOfText(near), 80).replace(/:$/, "");
  if (!before || isField(roleOf(before)) || all(before, "input,select,textarea,button").length > 0) return "";
  return line(new NameReader(field, true).text(before), 80).replace(/:$/, "");
}

/** Reads the text inside an element, for its own name or that of another element. */
class NameReader {
  left = MOST_NODES;
  readonly #named: Element;
  readonly #skipFields: boolean;

  /** @param skipFields Whether fields inside are left out. */
  constructor(named: Element, skipFields = false) {
    this.#named = named;
    this.#skipFields = skipFields;
  }

  text(node: Node, depth = 0): string {
    let text = "";
    const children = renderedChildren(node);
    for (let i = 0; i < children.length && depth < DEEPEST; i += 1) {
      this.left -= 1;
      if (this.left <= 0) break;
      const child = children[i] as Node;
      if (typeOf(child) === 3) text += valueOfText(child).slice(0, 2 * LONGEST);
      else if (isElement(child)) text += this.#element(child, depth + 1);
    }
    return text;
  }

  #element(element: Element, depth: number): string {
    if (element === this.#named || /^(script|style|noscript|template)$/.test(tagOf(element))) return " ";
    const style = styleOf(element);
    if (style?.display === "none" || style?.visibility === "hidden" || attr(element, "aria-hidden") === "true")
      return " ";
    const label = line(attr(element, "aria-label"));
    if (label) return ` ${label} `;
    if (/^(input|select|textarea)$/.test(tagOf(element))) return this.#field(element);
    const own = /^(img|area|svg)$/.test(tagOf(element)) ? ownName(element) : "";
    if (own) return ` ${own} `;
    const text = this.text(element, depth);
    return style?.display.startsWith("inline") || style?.display === "contents" ? text : ` ${text} `;
  }

  /** A value within a label: `Remind me after [5] days`. */
  #field(field: Element): string {
    const isText = tagOf(field) === "input" && /^(text|number)$/.test((field as HTMLInputElement).type);
    const isBox =
      tagOf(this.#named) === "input" &&
      has(this.#named, "type") &&
      /^(checkbox|radio)$/.test((this.#named as HTMLInputElement).type);
    return isText && (isBox || !this.#skipFields) ? ` ${(field as HTMLInputElement).value} ` : " ";
  }
}

/** The words of an element, for names of sections, cells and the like. */
export function wordsOf(element: Element, most = 200): string {
  return line(new NameReader(element, true).text(element), most);
}
