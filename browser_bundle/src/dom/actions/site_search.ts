/** Searches a site with its own search: finds the field, or what opens it, enters the query and submits. */
import { attr, nearest, tagOf } from "../read/nodes.ts";
import type { Entry, View } from "../read/page_reader.ts";
import { listed, type PageState } from "../read/page_state.ts";
import { invalidArguments, type Reply } from "../read/protocol.ts";
import { enterText } from "../touch/field_entry.ts";
import { submitButtonOf, submitFrom, SubmitGuard } from "../touch/form_submission.ts";
import { hitPointOf } from "../touch/hit_test.ts";
import { outcomeOf, settle } from "../touch/outcome.ts";
import { clickOn } from "./mouse.ts";

export function search(
  page: PageState,
  { query, allow_origin }: { query: string; allow_origin?: string[] },
): Promise<Reply> {
  if (typeof query !== "string" || !query.trim())
    throw invalidArguments("there is nothing to search for", "give words as `query`", "query");
  const guard = new SubmitGuard(page, allow_origin);
  const find = outcomeOf.bind(null, page, async (view, departure) => {
    let now = view;
    let field = searchFieldIn(now);
    let did = "";
    if (!field) {
      const opener = openerIn(now);
      if (!opener) throw noSearchError(now);
      did = `${clickOn(page, now, opener.element).did}, `;
      await settle(page, departure);
      if (departure.leaves) return { did: `${did}which leads to another page: search there` };
      now = page.read();
      field = searchFieldIn(now);
      if (!field)
        throw invalidArguments(
          `there is no search field, not even behind ${listed([opener])}`,
          "look at a new snapshot",
          "query",
        );
    }
    hitPointOf(page, now, field.element);
    guard.check(field.element, false, submitButtonOf(field.element), true);
    await guard.beforeTyping(field.element, false);
    enterText(page, field.element, query);
    return {
      did: `${did}entered \`${query.slice(0, 200)}\` into \`${field.info.name || "the search field"}\`, ${await submitFrom(page, field.element, guard)}`,
    };
  });
  return guard.around(find);
}

const NAMES = /^(q|s|k|query|search|keywords?|term|search_?(query|term|text)|text)$/i;

/** The field that looks most like a site search; undefined if none does. */
export function searchFieldIn(view: View): Entry | undefined {
  const points = ({ element, info }: Entry): number => {
    if (!/^(searchbox|textbox|combobox)$/.test(info.role) || !/^(input|textarea)$/.test(tagOf(element))) return 0;
    if (info.states.includes("disabled") || info.states.includes("readonly")) return 0;
    let sum = 0;
    if (nearest(element, "[role=search],search")) sum += 4;
    if (info.role === "searchbox" || attr(element, "type") === "search") sum += 3;
    if (NAMES.test(attr(element, "name") ?? "") || NAMES.test(attr(element, "id") ?? "")) sum += 2;
    if (/\bsearch\b|^find\b/i.test(`${info.name}\n${attr(element, "placeholder") ?? ""}`)) sum += 2;
    if (/search|find/i.test(attr(nearest(element, "form") ?? element, "action") ?? "")) sum += 1;
    // Filters of a list and fields for an email address are not searches.
    if (/filter|e-?mail|newsletter/i.test(info.name)) sum -= 3;
    return sum;
  };
  const scored = view.entries.map((entry) => ({ entry, sum: points(entry) })).filter(({ sum }) => sum >= 2);
  return scored.sort((a, b) => b.sum - a.sum)[0]?.entry;
}

function openerIn(view: View): Entry | undefined {
  const openers = view.entries.filter(
    ({ info }) =>
      /^(button|link|clickable|menuitem|tab)$/.test(info.role) &&
      /(?<!re)search/i.test(info.name) &&
      !info.states.includes("disabled"),
  );
  const isPlain = ({ info }: Entry): boolean =>
    /^(open |show |toggle )?(the )?(site )?search(bar| box| field)?\b.{0,20}$/i.test(info.name);
  return (
    openers.find((opener) => isPlain(opener) && opener.info.role !== "link") ?? openers.find(isPlain) ?? openers[0]
  );
}

function noSearchError(view: View) {
  const fields = view.entries.filter(({ info }) => /^(textbox|combobox)$/.test(info.role));
  return invalidArguments(
    "the page has no search of its own",
    fields.length > 0
      ? `if one of these searches, use \`enter_data\`: ${listed(fields)}`
      : "go by its links: see `navigation_outline`",
    "query",
  );
}
