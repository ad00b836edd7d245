/** Chooses from lists: `<select>`, and custom listboxes of the page. */
import { isIgnored, isMasked } from "../../base/agent_access.ts";
import { nameOf, wordsOf } from "../read/accessible_names.ts";
import { optionLabel, optionText } from "../read/element_states.ts";
import { all, attr, byId, everywhere, isInside, tagOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { bestMatches, line } from "../read/page_text.ts";
import { invalidArguments } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";
import { hitPointOf, permit } from "./hit_test.ts";
import { fireInput, setProperty } from "./input_events.ts";
import { settle, type NavigationWatch } from "./outcome.ts";
import { clickAt, focusOn } from "./pointer.ts";

/** Chooses options of a `<select>` by text or value, or one by its index from 0. */
export function chooseOptions(page: PageState, select: HTMLSelectElement, wanted: readonly string[] | number): string {
  const options = Array.from(select.options).filter((option) => !isIgnored(option));
  const chosen =
    typeof wanted === "number"
      ? [optionAt(page, select, options, wanted)]
      : wanted.map((text) => optionFor(page, select, options, text));
  if (chosen.length > 1 && !select.multiple)
    throw invalidArguments(`${page.show(select)} takes one choice, not ${chosen.length}`, undefined, "select");
  for (const option of chosen) {
    const group = option.parentElement;
    if (option.disabled || (group?.localName === "optgroup" && (group as HTMLOptGroupElement).disabled)) {
      throw invalidArguments(`\`${optionText(option)}\` of ${page.show(select)} cannot be chosen now`, choices(options), "select");
    }
  }
  const was = options.map((option) => option.selected);
  for (const option of options) if (option.selected !== chosen.includes(option)) permit(page, option);
  focusOn(select);
  if (select.multiple) for (const option of options) setProperty(option, "selected", chosen.includes(option));
  else setProperty(select, "selectedIndex", chosen[0]?.index ?? -1);
  if (options.some((option, index) => option.selected !== was[index])) fireInput(select);
  return chosen.map(optionText).join(", ");
}

function optionAt(page: PageState, select: Element, options: HTMLOptionElement[], index: number): HTMLOptionElement {
  const option = Number.isInteger(index) ? options[index] : undefined;
  if (option) return option;
  throw invalidArguments(`${page.show(select)} has no choice \`${index}\``, `count from 0 to ${options.length - 1}`, "index");
}

function optionFor(page: PageState, select: Element, options: HTMLOptionElement[], text: string): HTMLOptionElement {
  const found = bestMatches(options, text, (option) => [optionLabel(option), option.value], isMasked(select));
  if (found.length === 1 && found[0]) return found[0];
  const what = found.length === 0 ? `has no choice \`${text}\`` : `has ${found.length} choices that fit \`${text}\``;
  throw invalidArguments(`${page.show(select)} ${what}`, choices(found.length > 0 ? found : options), "select");
}

function choices(options: readonly HTMLOptionElement[]): string {
  const shown = options.slice(0, 15).map((option) => `\`${optionText(option)}\``);
  return `the choices are ${shown.join(", ")}${options.length > shown.length ? " …" : ""}`;
}

const OPTIONS = "[role=option],[role=menuitemradio]";

/** Opens a custom list of the page and clicks the options with these texts. */
export async function chooseFromList(
  page: PageState,
  view: View,
  list: Element,
  texts: readonly string[],
  departure: NavigationWatch,
): Promise<string> {
  const chosen: string[] = [];
  let now = view;
  for (const text of texts) {
    let options = optionsOf(page, list);
    if (options.length === 0) {
      clickAt(hitPointOf(page, now, list));
      await settle(page, departure);
      now = page.read();
      options = optionsOf(page, list);
    }
    const masked = isMasked(list) || options.some(isMasked);
    const wordsFor = (option: Element): (string | null)[] =>
      masked ? [(option as HTMLElement).innerText] : [nameOf(option, "option").text, attr(option, "data-value")];
    const found = bestMatches(options, text, wordsFor, masked);
    const [option] = found;
    if (!option || found.length > 1) {
      const names = (found.length > 0 ? found : options).slice(0, 15).map((other) => `\`${wordsOf(other, 60)}\``);
      throw invalidArguments(
        `${page.show(list)} has ${found.length > 0 ? `${found.length} choices` : "no choice"} \`${text}\``,
        names.length > 0 ? `the choices are ${names.join(", ")}` : "it shows no choices: `click` it and look",
        "select",
      );
    }
    chosen.push(line(nameOf(option, "option").text));
    if (attr(option, "aria-selected") !== "true") clickAt(hitPointOf(page, now, option));
    await settle(page, departure);
    now = page.read();
  }
  return chosen.join(", ");
}

/** The visible options of a list: in the element that it controls, inside it, or anywhere if only one list is open. */
function optionsOf(page: PageState, list: Element): Element[] {
  const id = attr(list, "aria-controls") ?? attr(list, "aria-owns");
  const owned = id ? byId(list, id) : null;
  const inside = all(owned ?? list, OPTIONS).filter(isShown);
  if (inside.length > 0 || tagOf(list) === "select") return inside;
  const lists = everywhere(page.top, "[role=listbox]").filter(
    (other) => other !== list && isShown(other) && !isInside(list, other),
  );
  return lists.length === 1 && lists[0] ? all(lists[0], OPTIONS).filter(isShown) : [];
}
