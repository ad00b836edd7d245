/** Finds where a person could touch an element, or why this is not possible. */
import { accessOf, forgetAccess, IGNORE, isIgnored, READONLY } from "../../base/agent_access.ts";
import { wordsOf } from "../read/accessible_names.ts";
import { roleOf } from "../read/aria_roles.ts";
import { isDisabled } from "../read/element_states.ts";
import {
  attr, documentOf, frameOf, is, isElement, isInside, nearest, query, rectOf, rectsOf, renderedChildren,
  renderedParent, rootOf, shadowOf, styleOf, tagOf, topElementAt, viewOf,
} from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { denied } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";

/** A point of the window that shows an element, and the element that is hit there. */
export interface HitPoint {
  x: number;
  y: number;
  hit: Element;
}

/** Scrolls an element into view and finds where it can be touched; throws if it cannot. */
export function hitPointOf(page: PageState, view: View, element: Element): HitPoint {
  permit(page, element);
  const name = page.show(element);
  if (view.modal && documentOf(element) === page.top && !isInside(element, view.modal)) {
    throw denied(`${name} cannot be used: it is behind ${page.show(view.modal)}`, "close the dialog first");
  }
  if (isDisabled(element)) throw denied(`${name} is disabled`, "fill in what it waits for first");
  const box = touchable(element);
  if (!box) throw denied(`${name} is not visible`, "open what hides it first, and take a new snapshot");
  bringIntoView(box);
  let cover: Element | null = null;
  for (const [x, y] of points(box)) {
    const hit = hitAt(box, x, y);
    if (!hit) continue;
    if (!isHit(hit, element) || accessOf(hit) & (READONLY | IGNORE)) {
      cover ??= hit;
      continue;
    }
    const above = coverOfFrame(box, x, y);
    if (!above) {
      permit(page, hit);
      return { x, y, hit };
    }
    cover = above;
  }
  if (!cover) throw denied(`${name} is outside of what can be scrolled into view`);
  if (isIgnored(cover)) throw denied(`${name} is covered`);
  if (isHit(cover, element)) permit(page, cover);
  if (isInside(element, cover)) throw denied(`${name} takes no clicks: what is around it gets them`);
  throw denied(`${name} is covered by ${describeCover(page, cover)}`, "close or move what covers it first");
}

/** The element to touch: the element itself, or its label if only that is visible. */
function touchable(element: Element): Element | null {
  if (isShown(element)) return boxOf(element);
  for (const label of (element as HTMLInputElement).labels ?? []) if (isShown(label) && !isIgnored(label)) return boxOf(label);
  const { width, height } = rectOf(element);
  return width >= 8 && height >= 8 && styleOf(element)?.opacity === "0" && /^(input|select)$/.test(tagOf(element))
    ? element
    : null;
}

/** The visible box of an element, which may be its label; null where it is hidden, or others cover it now. */
export function visibleBox(element: Element): Element | null {
  const box = touchable(element);
  return box && isCovered(box, element) ? null : box;
}

/** Whether other elements cover a box at all of its points that are in the window now. */
function isCovered(box: Element, element: Element): boolean {
  let covered = false;
  for (const [x, y] of points(box)) {
    const hit = hitAt(box, x, y);
    if (!hit) continue;
    covered = true;
    // One that takes no clicks lets them through to what is around it.
    if (!isHit(hit, element) && !isInside(box, hit)) continue;
    const cover = coverOfFrame(box, x, y);
    if (!cover || isInside(box, cover)) return false;
  }
  return covered;
}

/** The element, or the first descendant with a box of its own. */
function boxOf(element: Element, tries = 20): Element {
  if (tries === 0 || hasBox(element)) return element;
  for (const child of renderedChildren(element).filter(isElement)) {
    const box = boxOf(child, tries - 1);
    if (hasBox(box)) return box;
  }
  return element;
}

function hasBox(element: Element): boolean {
  const { width, height } = rectOf(element);
  return width > 0 && height > 0;
}

export function bringIntoView(element: Element): void {
  const view = viewOf(element);
  if (!view) return;
  const { top, left, bottom, right } = rectOf(element);
  const inside = top >= 0 && left >= 0 && bottom <= view.innerHeight && right <= view.innerWidth;
  if (inside && view === view.top && hitAt(element, (left + right) / 2, (top + bottom) / 2) === element) return;
  Element.prototype.scrollIntoView.call(element, { block: "center", inline: "center", behavior: "instant" });
}

/** Visible points of an element's boxes, the middle first. */
function* points(element: Element): Generator<[number, number]> {
  const view = viewOf(element);
  if (!view) return;
  for (const rect of Array.from(rectsOf(element)).slice(0, 4)) {
    const left = Math.max(0, rect.left);
    const top = Math.max(0, rect.top);
    const width = Math.min(view.innerWidth, rect.right) - left;
    const height = Math.min(view.innerHeight, rect.bottom) - top;
    if (width <= 0 || height <= 0) continue;
    for (const [x, y] of [
      [0.5, 0.5],
      [0.2, 0.5],
      [0.8, 0.5],
      [0.5, 0.2],
      [0.5, 0.8],
      [0.1, 0.1],
      [0.9, 0.9],
    ] as const) {
      yield [left + width * x, top + height * y];
    }
  }
}

/** The topmost element at a point of the window that shows an element. */
export function hitAt(element: Element, x: number, y: number): Element | null {
  const document = documentOf(element);
  let hit = document && topElementAt(document, x, y);
  for (let root = hit && shadowOf(hit); hit && root; root = shadowOf(hit)) {
    const inner: Element | null = topElementAt(root, x, y);
    if (!inner || inner === hit || rootOf(inner) !== root) break;
    hit = inner;
  }
  return hit;
}

/** Whether the hit element is the element, or a part of it. */
function isHit(hit: Element, element: Element): boolean {
  if (isInside(hit, element)) return true;
  // A click on a link or a button in a label does what that one does.
  const label = nearest(hit, "label,a[*|href],button,summary,input,select,textarea") as HTMLLabelElement | null;
  return label !== null && label.control === element;
}

/** The element that covers the frame at a point, if any. */
function coverOfFrame(element: Element, x: number, y: number): Element | null {
  const frame = frameOf(element);
  if (!frame) return null;
  const { left, top } = rectOf(frame);
  const outer: [number, number] = [left + frame.clientLeft + x, top + frame.clientTop + y];
  const hit = hitAt(frame, ...outer);
  if (!hit || !isInside(hit, frame)) return hit ?? frame;
  return coverOfFrame(frame, ...outer);
}

/** The nearest element around a cover that has a name. */
function describeCover(page: PageState, cover: Element): string {
  for (let outer: Element | null = cover; outer && tagOf(outer) !== "body"; outer = renderedParent(outer)) {
    if (roleOf(outer)) return page.show(outer);
  }
  const words = wordsOf(cover, 60);
  return `a \`${tagOf(cover)}\`${words ? ` with the text \`${words}\`` : ""}`;
}

// Parts that the site has closed to agents.

/** Refuses an element that agents do not change, or whose use would change such an element. */
export function permit(page: PageState, element: Element): void {
  forgetAccess();
  for (const one of [element, ...changedBy(element)]) {
    const closed = accessOf(one);
    if (closed & IGNORE)
      throw denied(`${page.show(element)} would change what the site closed to agents (\`data-agent="ignore"\`)`, HELP);
    if (closed & READONLY) throw denied(`the site closed \`${page.show(one)}\` to agents (\`data-agent="readonly"\`)`, HELP);
  }
}

const HELP = "leave it as it is, or ask the person to change it";

/** What else a click on an element changes, as far as its markup shows. */
function changedBy(element: Element): Element[] {
  const control = nearest(element, "button,input,label") as HTMLButtonElement | HTMLLabelElement | null;
  if (!control) return [];
  if (is(control, "label")) return [(control as HTMLLabelElement).control].filter((field) => field !== null);
  const { form } = control;
  if (is(control, "[type=radio i]")) {
    const name = attr(control, "name");
    return query(form ?? rootOf(control), "input:checked").filter(
      (other) => name && attr(other, "name") === name && (other as HTMLInputElement).form === form,
    );
  }
  if (!form || is(control, "[type=button i]") || !is(control, "button,[type=submit i],[type=image i],[type=reset i]")) return [];
  if (is(control, "[type=submit i],[type=image i],button:not([type=reset i])")) return [form];
  return query(rootOf(form), "input,select,textarea").filter((field) => (field as HTMLInputElement).form === form);
}
