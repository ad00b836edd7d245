/** Clicks elements and links. */
import { LINK, roleOf } from "../read/aria_roles.ts";
import { attr, is, isInside, nearest as outer, tagOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import { listed, type PageState } from "../read/page_state.ts";
import { invalidArguments, type Reply } from "../read/protocol.ts";
import { hitPointOf } from "../touch/hit_test.ts";
import { bestMatches, rankedByWords } from "../touch/name_match.ts";
import { outcomeOf } from "../touch/outcome.ts";
import { clickAt } from "../touch/pointer.ts";
import { SubmitGuard } from "../touch/form_submission.ts";

type ClickResult = Pick<Reply, "did" | "new_tab">;

export function click(
  page: PageState,
  { pp_id, allow_origin }: { pp_id: number; allow_origin?: string[] },
): Promise<Reply> {
  const guard = new SubmitGuard(page, allow_origin);
  const press = outcomeOf.bind(null, page, (view) => {
    const element = page.element(pp_id);
    guard.beforeClick(element);
    return clickOn(page, view, element);
  });
  return guard.around(press);
}

export function clickLink(page: PageState, { pp_id, text }: { pp_id?: number; text?: string }): Promise<Reply> {
  return outcomeOf(page, (view) => clickOn(page, view, pp_id === undefined ? linkBy(view, text) : linkAt(page, pp_id)));
}

export function clickOn(page: PageState, view: View, element: Element): ClickResult {
  const tag = tagOf(element);
  const help = tag === "select" ? "`select`" : is(element, "input[type=file i]") ? "`files`" : "";
  if (help)
    throw invalidArguments(
      `a click on ${page.show(element)} opens what only a person can use`,
      `use \`enter_data\` with ${help}`,
      "pp_id",
    );
  const name = page.show(element);
  const link = outer(element, LINK);
  const opens = !!link && opensTab(link);
  const spot = hitPointOf(page, view, element);
  clickAt(isInside(spot.hit, element) || roleOf(element) !== "link" ? spot : { ...spot, hit: element });
  return { did: `clicked \`${name}\`${opens ? ", which opens a new tab" : ""}`, ...(opens ? { new_tab: true } : {}) };
}

function opensTab(link: Element): boolean {
  const target = attr(link, "target") ?? attr(link.ownerDocument.querySelector("base[target]") ?? link, "target") ?? "";
  return (
    target !== "" &&
    !/^_(self|parent|top)$/i.test(target) &&
    !link.ownerDocument.querySelector(`[name="${CSS.escape(target)}"]`)
  );
}

function linkAt(page: PageState, pp_id: number): Element {
  const element = page.element(pp_id);
  if (roleOf(element) === "link") return element;
  throw invalidArguments(`${page.show(element)} is not a link`, "use `click`", "pp_id");
}

function linkBy(view: View, text: unknown): Element {
  if (typeof text !== "string" || !text.trim())
    throw invalidArguments("it is not said which link", "give `pp_id` or `text`", "text");
  const links = view.entries.filter(({ info }) => info.role === "link");
  const found = bestMatches(links, text, ({ info }) => [info.name]);
  // Links with the same name and target count as one.
  const places = new Set(found.map(({ info }) => info.href ?? info.id));
  if (found[0] && places.size === 1) return found[0].element;
  if (found.length > 1)
    throw invalidArguments(`${found.length} links fit \`${text}\``, `name one by its number: ${listed(found)}`, "text");
  const others = bestMatches(
    view.entries.filter(({ info }) => /^(button|tab|menuitem|clickable)$/.test(info.role)),
    text,
    ({ info }) => [info.name],
  );
  const help =
    others.length > 0
      ? `use \`click\` for ${listed(others)}`
      : links.length > 0
        ? `the links here are ${listed(rankedByWords(links, text, ({ info }) => info.name))}`
        : "the page shows no links";
  throw invalidArguments(`there is no link \`${text}\``, help, "text");
}
