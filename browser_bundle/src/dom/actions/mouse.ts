/** Clicks elements and links, points at elements, and drags them. */
import { LINK, roleOf } from "../read/aria_roles.ts";
import { attr, is, isInside, nearest as outer, tagOf, viewOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import { listed, type PageState } from "../read/page_state.ts";
import { denied, invalidArguments, type Reply } from "../read/protocol.ts";
import { hitAt, hitPointOf, permit, type HitPoint } from "../touch/hit_test.ts";
import { bestMatches, rankedByWords } from "../read/page_text.ts";
import { outcomeOf } from "../touch/outcome.ts";
import { clickAt, dragBetween, hoverAt } from "../touch/pointer.ts";
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

const NO_HOVER = "styles of `:hover` do not apply: only the mouse of a person or of a browser driver sets them";

/** Points at an element. */
export function hover(page: PageState, { pp_id }: { pp_id: number }): Promise<Reply> {
  return outcomeOf(page, (view) => {
    const element = page.element(pp_id);
    const name = page.show(element);
    hoverAt(hitPointOf(page, view, element));
    return { did: `pointed at \`${name}\``, left_out: NO_HOVER };
  });
}

type Way = { pp_id: number; to?: number; by_x?: number; by_y?: number };

/** Drags an element onto another one, or by a distance. */
export function drag(page: PageState, { pp_id, to, by_x, by_y }: Way): Promise<Reply> {
  const by = [by_x ?? 0, by_y ?? 0].map(Number) as [number, number];
  if ((to === undefined) === (by_x === undefined && by_y === undefined) || !by.every(Number.isFinite))
    throw invalidArguments("it is not said where to drag it", "give `to`, or `by_x` and `by_y` in pixels", "to");
  return outcomeOf(page, async (view) => {
    const element = page.element(pp_id);
    const name = page.show(element);
    if (is(element, "input[type=range i]"))
      throw invalidArguments(`${name} does not follow such a mouse`, "set its value with `enter_data`", "pp_id");
    const target = to === undefined ? null : page.element(to);
    const onto = target ? `onto \`${page.show(target)}\`` : `by ${by[0]}, ${by[1]} px`;
    // The page may move its elements when the mouse leaves one and comes to another.
    hoverAt(hitPointOf(page, view, element));
    const [from, end] = target ? both(page, view, element, target) : awayBy(page, view, element, by);
    const isTaken = await dragBetween(from, end);
    if (!isTaken) throw denied(`${name} was dragged ${onto}, and nothing there takes it`, "drag it onto another element");
    return { did: `dragged \`${name}\` ${onto}` };
  });
}

/** The points of two elements that are in view at the same time. */
function both(page: PageState, view: View, element: Element, target: Element): [HitPoint, HitPoint] {
  const isAt = ({ x, y }: HitPoint, one: Element): boolean => {
    const hit = hitAt(one, x, y);
    return hit !== null && isInside(hit, one);
  };
  let from = hitPointOf(page, view, element);
  const end = hitPointOf(page, view, target);
  if (viewOf(element) !== viewOf(target))
    throw denied(`${page.show(element)} and ${page.show(target)} are in different frames`, "drag it within its frame");
  if (!isAt(from, element)) from = hitPointOf(page, view, element);
  if (!isAt(end, target))
    throw denied(`${page.show(element)} and ${page.show(target)} are too far apart to be in view together`);
  return [from, end];
}

function awayBy(page: PageState, view: View, element: Element, [x, y]: [number, number]): [HitPoint, HitPoint] {
  const from = hitPointOf(page, view, element);
  const hit = hitAt(element, from.x + x, from.y + y);
  if (!hit) throw denied(`${x}, ${y} px from ${page.show(element)} is outside of what is in view`, "drag it less far");
  permit(page, hit);
  return [from, { x: from.x + x, y: from.y + y, hit }];
}
