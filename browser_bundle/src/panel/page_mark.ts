/** Marks an element of the page for the visitor; the mark is in our own shadow tree, and takes no clicks. */
import { h } from "../ui/elements.ts";

/** How long an element is marked that was asked for. */
const SHOWN_MS = 2000;
/** How long the mark stays on an element that the agent has touched. */
const AFTER_MS = 600;
const SPACE_PX = 4;

export class PageMark {
  #box = h("div", { class: "page-mark", "aria-hidden": "true", hidden: true });
  #element: Element | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  /** @param layer Around the panel; what is in it is painted over the page, and under the panel. */
  constructor(layer: Element) {
    layer.prepend(this.#box);
  }

  /** Mark an element until the agent is done with it. */
  begin(element: Element): void {
    clearTimeout(this.#timer);
    this.#element = element;
    this.#frame ||= requestAnimationFrame(this.#follow);
  }

  /** The agent is done with the element. */
  end(after = AFTER_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#element = undefined), after);
  }

  /** Scroll to an element and mark it for a while. */
  show(element: Element): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: still ? "instant" : "smooth" });
    this.begin(element);
    this.end(SHOWN_MS);
  }

  /** The page may scroll or move the element, so its place is read in each frame. */
  #follow = (): void => {
    const place = this.#element?.isConnected ? placeOf(this.#element) : undefined;
    this.#box.hidden = place === undefined;
    this.#frame = this.#element ? requestAnimationFrame(this.#follow) : 0;
    if (!place) return;
    // Something around the panel may have moved what is fixed.
    this.#box.style.translate = "0 0";
    const { left, top } = this.#box.getBoundingClientRect();
    Object.assign(this.#box.style, {
      translate: `${place.left - SPACE_PX - left}px ${place.top - SPACE_PX - top}px`,
      inlineSize: `${place.width + 2 * SPACE_PX}px`,
      blockSize: `${place.height + 2 * SPACE_PX}px`,
    });
  };
}

/** The place of an element in the window of the page; undefined without a box. */
export function placeOf(element: Element): DOMRect | undefined {
  const place = element.getBoundingClientRect();
  if (place.width < 1 || place.height < 1) return undefined;
  for (let frame = frameOf(element); frame; frame = frameOf(frame)) {
    const { left, top } = frame.getBoundingClientRect();
    place.x += left + frame.clientLeft;
    place.y += top + frame.clientTop;
  }
  return place;
}

function frameOf(element: Element): Element | null {
  return element.ownerDocument.defaultView?.frameElement ?? null;
}
