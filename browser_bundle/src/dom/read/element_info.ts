/** Information about elements in snapshots, and the numbers by which they are known. */
import { isMasked } from "../../base/agent_access.ts";
import { descriptionOf } from "./accessible_names.ts";
import { isLink, levelOf, linkTargetOf, MAY_BE_LINK } from "./aria_roles.ts";
import { traitsOf } from "./control_traits.ts";
import { optionsOf, statesOf, valueOf } from "./element_states.ts";
import { documentOf } from "./nodes.ts";
import { line } from "./page_text.ts";
import type { ElementInfo } from "./protocol.ts";

/** @param rect The element's box. */
export function describe(element: Element, role: string, name: string, id: number, rect: DOMRect, frame?: number): ElementInfo {
  const info: ElementInfo = { id, role, name, states: statesOf(element, role, rect) };
  const value = valueOf(element, role);
  if (value) info.value = value;
  if (frame !== undefined) info.frame = frame;
  if (role === "heading") info.level = levelOf(element);
  const href = MAY_BE_LINK.test(role) ? hrefOf(element) : "";
  if (href) info.href = href;
  const traits = traitsOf(element, role, href !== "");
  if (traits.length > 0) info.traits = traits;
  const description = descriptionOf(element, name);
  if (description) info.description = description;
  const options = optionsOf(element);
  if (options && options.length > 0) info.options = options;
  return info;
}

/** The target of a link, empty when it is masked: from the root of the site, or with its origin if that is another one. */
export function hrefOf(link: Element): string {
  if (!isLink(link) || isMasked(link)) return "";
  const base = documentOf(link)?.baseURI ?? location.href;
  try {
    const url = new URL(linkTargetOf(link) ?? "", base);
    const path = url.origin === location.origin ? url.pathname + url.search + url.hash : url.href;
    return line(path, 500);
  } catch {
    return "";
  }
}

/** The numbers of elements: assigned at first sight, kept as long as the element lives, never reused. */
export class ElementNumbers {
  readonly #numbers = new WeakMap<Element, number>();
  readonly #elements = new Map<number, WeakRef<Element>>();
  #last = 0;

  /** The element's number; a new one if it has none. */
  of(element: Element): number {
    const known = this.#numbers.get(element);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(element, this.#last);
    this.#elements.set(this.#last, new WeakRef(element));
    return this.#last;
  }

  /** The element of a number, even if it was removed from the page; undefined when it was collected. */
  element(number: number): Element | undefined {
    const element = this.#elements.get(number)?.deref();
    if (!element) this.#elements.delete(number);
    return element;
  }

  /** Whether the number was ever assigned. */
  wasGiven(number: number): boolean {
    return Number.isInteger(number) && number > 0 && number <= this.#last;
  }
}
