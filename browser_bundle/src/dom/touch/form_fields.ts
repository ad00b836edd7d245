/** Finds the field for an entry of a form. */
import { isIgnored } from "../../base/agent_access.ts";
import { labelOf } from "../read/accessible_names.ts";
import { isField, roleOf } from "../read/aria_roles.ts";
import { all, attr, byId, is, isElement, nearest as outer, renderedChildren, shadowOf, tagOf, textOf } from "../read/nodes.ts";
import type { Entry, View } from "../read/page_reader.ts";
import { listed, type PageState } from "../read/page_state.ts";
import { invalidArguments, type FormEntry } from "../read/protocol.ts";
import { bestMatches, rankedByWords } from "../read/page_text.ts";

const FIELD_HELP = "give `pp_id`, `label` or `name`";

/** The fields of an entry: one, or the radio buttons of a group. */
export function fieldsOf(page: PageState, view: View, entry: FormEntry): Element[] {
  if (entry.pp_id !== undefined) return [controlIn(page, page.element(entry.pp_id))];
  const fields = view.entries.filter(({ info }) => isField(info.role));
  if (entry.label !== undefined) return byWords(fields, entry.label, "label", wordsFor, "label");
  if (entry.name !== undefined) {
    return byWords(fields, entry.name, "name", ({ element }) => [attr(element, "name"), attr(element, "id")], "name");
  }
  throw invalidArguments("an entry of the form does not say which field it is for", FIELD_HELP, "form_data");
}

function byWords(
  fields: readonly Entry[],
  words: unknown,
  what: string,
  wordsOf: (entry: Entry) => (string | null)[],
  path: string,
): Element[] {
  const text = String(words);
  const found = what === "name" ? fields.filter((field) => wordsOf(field).includes(text)) : bestMatches(fields, text, wordsOf);
  const groups = new Set(found.map(({ element }) => groupKey(element)));
  if (groups.size === 1) return found.map(({ element }) => element);
  if (found.length === 0) {
    const group = what === "label" ? groupNamed(fields, text) : [];
    if (group.length > 0) return group;
    const near = rankedByWords(fields, text, ({ info }) => info.name);
    const help = near.length > 0 ? `the fields here are ${listed(near)}` : "the page shows no fields";
    throw invalidArguments(`there is no field with the ${what} \`${text}\``, help, path);
  }
  throw invalidArguments(`the ${what} \`${text}\` fits ${found.length} fields`, `name one by its number: ${listed(found)}`, path);
}

/** The names by which a field can be found. */
function wordsFor({ element, info }: Entry): (string | null)[] {
  return [
    info.name,
    attr(element, "aria-label"),
    labelOf(element),
    attr(element, "placeholder"),
    attr(element, "title"),
  ];
}

/** Radio buttons whose group has a text as its legend, or as the name of its radiogroup. */
function groupNamed(fields: readonly Entry[], text: string): Element[] {
  const radios = fields.filter(({ info }) => info.role === "radio");
  const found = bestMatches(radios, text, ({ element }) => [groupLabel(element)]);
  const groups = new Set(found.map(({ element }) => groupKey(element)));
  return groups.size === 1 ? found.map(({ element }) => element) : [];
}

function groupLabel(radio: Element): string {
  const group = outer(radio, "fieldset,[role=radiogroup]");
  if (!group) return "";
  const legend = Array.from(group.children).find((child) => tagOf(child) === "legend");
  return attr(group, "aria-label") ?? ((legend && textOf(legend)) || namedBy(group));
}

function namedBy(group: Element): string {
  const id = attr(group, "aria-labelledby");
  const element = id ? byId(group, id) : null;
  return element ? textOf(element) : "";
}

/** Elements with the same key are one field. */
function groupKey(element: Element): unknown {
  if (
    tagOf(element) !== "input" ||
    (element as HTMLInputElement).type !== "radio" ||
    !(element as HTMLInputElement).name
  )
    return element;
  const { form, name } = element as HTMLInputElement;
  return form ? `${name}\n${[...element.ownerDocument.forms].indexOf(form)}` : `${name}\n`;
}

/** The radio buttons of the same group. */
export function groupOf(radio: Element): Element[] {
  const root = radio.getRootNode() as Document | ShadowRoot;
  if (tagOf(radio) === "input") {
    const key = groupKey(radio);
    return all(root, "input[type=radio i]").filter((other) => groupKey(other) === key);
  }
  const group = outer(radio, "[role=radiogroup]");
  return group ? all(group, "[role=radio]") : [radio];
}

const CONTROLS =
  "input:not([type=hidden i]),select,textarea,[contenteditable=''],[contenteditable=true],[role=textbox],[role=combobox]";

/** The control itself: the field of a label, or the control inside a custom element. */
function controlIn(page: PageState, element: Element): Element {
  if (is(element, CONTROLS)) return element;
  const control = tagOf(element) === "label" ? (element as HTMLLabelElement).control : null;
  const found = control && !isIgnored(control) ? control : inside(element);
  if (found) return found;
  if (isField(roleOf(element))) return element;
  throw invalidArguments(`${page.show(element)} is not a field`, "use `click` for elements that are not fields", "pp_id");
}

/** The only control in an element, including the shadow trees inside it. */
function inside(element: Element): Element | null {
  const found = all(shadowOf(element) ?? element, CONTROLS);
  if (found.length > 0) return found.length === 1 ? (found[0] as Element) : null;
  for (const child of renderedChildren(element).filter(isElement).slice(0, 50)) {
    const inner = shadowOf(child) ? inside(child) : null;
    if (inner) return inner;
  }
  return null;
}
