/** Names of elements: a small subset of accname and HTML-AAM that terminates on every page. */
import { HIDDEN, isMasked, MASK, ownAccess } from "../../base/agent_access.ts";
import { isField, isNamedByContent, roleOf } from "./aria_roles.ts";
import {
  all, attr, byId, dataOf, has, isElement, isInside, nearest, renderedChildren, renderedParent, styleOf, tagOf, typeOf,
  valueOfText,
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
  const label = tagOf(element) === "button" ? labelOf(element) : "";
  if (label) return { text: label, isContent: false };
  if (isMasked(element) && !isField(role)) return { text: "", isContent: false };
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
  const ids = attr(element, attribute);
  if (!ids) return "";
  return ids
    .split(/\s+/, 10)
    .filter(Boolean)
    .map((id) => byId(element, id))
    .map((target) => {
      const named = attribute === "aria-labelledby" ? element : target;
      return target && named ? labelIn(target, named) || new NameReader(named, true).text(target) : "";
    })
    .join(" ");
}

/** The `aria-label` of an element that is part of the name of another one. */
function labelIn(element: Element, named: Element): string {
  const label = line(attr(element, "aria-label"));
  return label && isHiddenFrom(element, named) ? HIDDEN : label;
}

/** Whether a text is masked in a name. The label of a field stays when it is masked together with the field. */
function isHiddenFrom(text: Node, named: Element): boolean {
  if (!isMasked(text)) return false;
  const role = roleOf(named);
  const holdsLabel = /^(checkbox|radio|switch)$/.test(role) || tagOf(named) === "fieldset";
  if (!holdsLabel && (!isField(role) || isInside(text, named))) return true;
  for (let at: Node | null = text; at; at = renderedParent(at))
    if (isElement(at) && ownAccess(at) & MASK && !isInside(named, at)) return true;
  return false;
}

/** The description of an element, in addition to its name. */
export function descriptionOf(element: Element, name: string): string {
  const own = isMasked(element) && !isField(roleOf(element)) ? "" : attr(element, "aria-description") || attr(element, "title");
  const said = textsOf(element, "aria-describedby") || own || "";
  const error = attr(element, "aria-invalid") === "true" ? textsOf(element, "aria-errormessage") : "";
  const text = line(`${said} ${error}`);
  return text === name ? "" : text;
}

/** The texts of the labels of a field. */
export function labelOf(field: Element): string {
  const labels = (field as HTMLInputElement).labels;
  return labels ? line(Array.from(labels).map((label) => new NameReader(field, true).text(label)).join(" "), LONGEST) : "";
}

function ownName(element: Element): string {
  const tag = tagOf(element);
  const attribute = (name: string): string => line(attr(element, name), LONGEST);
  const seen = (text: string): string => (text && isMasked(element) ? HIDDEN : text);
  switch (tag) {
    case "input": {
      const { type } = element as HTMLInputElement;
      if (/^(button|submit|reset)$/.test(type)) {
        return (
          seen(line((element as HTMLInputElement).value, LONGEST)) ||
          (type === "button" ? "" : type === "reset" ? "Reset" : "Submit")
        );
      }
      if (type === "image") return seen(attribute("alt") || attribute("title")) || "Submit";
      return labelOf(element);
    }
    case "select":
    case "textarea":
    case "output":
    case "meter":
    case "progress":
      return labelOf(element);
    case "img":
    case "area":
      return seen(attribute("alt"));
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
  return wordsOf(before, 80).replace(/:$/, "");
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
      if (typeOf(child) === 3) text += this.#text(child).slice(0, 2 * LONGEST);
      else if (isElement(child)) text += this.#element(child, depth + 1);
    }
    return text;
  }

  #text(text: Node): string {
    return isMasked(text) && !isHiddenFrom(text, this.#named) ? dataOf(text) : valueOfText(text);
  }

  #element(element: Element, depth: number): string {
    if (element === this.#named || /^(script|style|noscript|template)$/.test(tagOf(element))) return " ";
    const style = styleOf(element);
    if (style?.display === "none" || style?.visibility === "hidden" || attr(element, "aria-hidden") === "true")
      return " ";
    const label = labelIn(element, this.#named);
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
    return isText && (isBox || !this.#skipFields) ? ` ${isMasked(field) ? HIDDEN : (field as HTMLInputElement).value} ` : " ";
  }
}

/** The words of an element, for names of sections, cells and the like. */
export function wordsOf(element: Element, most = 200): string {
  return line(new NameReader(element, true).text(element), most);
}
