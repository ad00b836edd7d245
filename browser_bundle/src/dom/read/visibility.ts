/** Visibility of elements: whether they have a size, are not hidden, transparent or behind a dialog. */
import {
  all, attr, documentOf, has, is, isElement, rectOf, renderedChildren, renderedParent, rootsIn, styleOf,
  tagOf, typeOf, viewOf,
} from "./nodes.ts";

/** Whether an element is hidden with everything inside it. */
export function isHidden(element: Element, style: CSSStyleDeclaration): boolean {
  return (
    style.display === "none" ||
    style.contentVisibility === "hidden" ||
    attr(element, "aria-hidden") === "true" ||
    has(element, "inert")
  );
}

/** Whether an element is invisible: transparent, clipped to a point, or moved off the page. */
export function isInvisible(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.opacity === "0") return true;
  const cut = style.overflowX !== "visible" || style.overflowY !== "visible";
  const placed = style.position === "absolute" || style.position === "fixed";
  if (!cut && !placed) return false;
  const { left, top, right, bottom, width, height } = rectOf(element);
  if (cut && (width <= 1 || height <= 1) && style.display !== "contents" && !style.display.startsWith("inline"))
    return true;
  if (!placed || width === 0 || height === 0) return false;
  if (cut && width <= 1 && height <= 1) return true;
  if (
    /^rect\((0px|1px|auto|,|\s)+\)$/.test(style.clip) &&
    style.clip !== "rect(auto, auto, auto, auto)"
  )
    return true;
  const view = viewOf(element);
  if (!view) return true;
  if (style.position === "fixed")
    return right <= 0 || bottom <= 0 || left >= view.innerWidth || top >= view.innerHeight;
  return right + view.scrollX <= 0 || bottom + view.scrollY <= 0;
}

/** Whether a box has a size. */
export const isBox = ({ width, height }: DOMRect): boolean => width > 0 && height > 0;

/** Whether the element, or its overflow, has a size. */
export function hasSize(element: Element, tries = 8): boolean {
  if (isBox(rectOf(element))) return true;
  const inside = renderedChildren(element);
  for (let i = 0; i < inside.length && i < tries; i += 1) {
    const child = inside[i] as Node;
    if (isElement(child) && tries > 1 && hasSize(child, tries >> 1)) return true;
  }
  return false;
}

/** The dialog that blocks the rest of a document; null when there is none. */
export function modalOf(top: Document, roots: readonly (Document | ShadowRoot)[] = rootsIn(top)): Element | null {
  let found: Element | null = null;
  for (const root of roots) {
    if (root !== top && typeOf(root) === 9) continue;
    for (const dialog of all(root, "dialog[open],[aria-modal=true]")) {
      if (documentOf(dialog) !== top) continue;
      const native = tagOf(dialog) === "dialog" && is(dialog, ":modal");
      if (!native && (attr(dialog, "aria-modal") !== "true" || !isShown(dialog))) continue;
      if (native || !found || !is(found, ":modal")) found = dialog;
    }
  }
  return found;
}

/** Whether an element is visible, possibly after scrolling. */
export function isShown(element: Element): boolean {
  const own = styleOf(element);
  if (!own || own.visibility !== "visible" || !hasSize(element)) return false;
  let depth = 0;
  for (let at: Element | null = element; at && depth < 10_000; at = renderedParent(at), depth += 1) {
    const style = styleOf(at);
    if (!style || isHidden(at, style) || isInvisible(at, style)) return false;
  }
  return true;
}
