/** `looks.js`: where the panel is, how large, and in which colours; loaded with the panel. */
import { button, h, picture } from "../ui/elements.ts";
import { tabStorage } from "../run/tab_storage.ts";
import { LOOKS_CSS } from "./panel_styles.ts";
import type { Texts } from "./panel_texts.ts";
import { isPlacement, type Placement, type ShadowHost } from "./shadow_host.ts";
import { readTheme, watchTheme } from "./site_theme.ts";

export { suggestionsIn } from "./suggestions.ts";

/** Key in sessionStorage of the place that the visitor has chosen. */
const PLACE_KEY = "webagent.panel.place";

const ORDER: Placement[] = ["floating", "tall", "docked"];
/** Least size of the panel, and its least distance from the edges of the window, in pixels. */
const LEAST_WIDTH = 300;
const LEAST_HEIGHT = 240;
const MARGIN = 8;
/** One press of an arrow key. */
const KEY_STEP = 24;
/** Windows up to this width have a sheet at the lower edge; see `panel_styles.ts`. */
const NARROW = "(max-width: 560px)";

/** The visitor's choice; lengths in pixels, from the end and the bottom of the window. */
interface Place {
  placement?: Placement;
  end?: number;
  bottom?: number;
  width?: number;
  height?: number;
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export class Looks {
  #host: ShadowHost;
  #texts: Texts;
  #panel: HTMLElement;
  #place = storedPlace();
  #switch: HTMLButtonElement;
  /** Leaves the panel its room in the page while it is docked. */
  #room = new CSSStyleSheet();
  #narrow = matchMedia(NARROW);
  #acting = false;

  /** @param panel The element with the panel, whose first child is its head. */
  constructor(host: ShadowHost, panel: HTMLElement, texts: Texts) {
    this.#host = host;
    this.#texts = texts;
    this.#panel = panel;
    host.looks.replaceSync(LOOKS_CSS);
    const head = panel.firstElementChild as HTMLElement;
    const grip = h("button", { class: "icon grip", type: "button", "aria-label": texts.move, title: texts.move }, picture("star"));
    grip.addEventListener("keydown", (event) => this.#onKey(event));
    head.prepend(grip);
    this.#switch = button("icon placing", picture("place"), () => this.#choose({ ...this.#place, placement: this.#next }));
    head.querySelector(".window")?.prepend(this.#switch);
    this.#draggable(head, "");
    for (const edges of ["n", "e", "s", "w", "ne", "nw", "se", "sw"]) {
      const edge = h("div", { class: `edge ${[...edges].join(" ")}` });
      host.content.append(edge);
      this.#draggable(edge, edges);
    }
    host.onShow = () => this.#show();
    watchTheme(() => this.#theme());
    addEventListener("resize", () => this.#arrange());
    new ResizeObserver(() => this.#arrange()).observe(panel);
    for (const type of ["pointerover", "pointerdown", "focusin", "input"]) {
      addEventListener(type, (event) => this.#keepClear(event), true);
    }
    this.#show();
  }

  /** While the agent runs, the panel stays clear of what it touches; while it asks, the panel stays where it is. */
  set state(state: "ready" | "running" | "asking") {
    this.#acting = state === "running";
    if (state === "ready") this.#host.element.removeAttribute("data-aside");
  }

  #show(): void {
    this.#theme();
    this.#arrange();
  }

  /** The placement after the current one. */
  get #next(): Placement {
    return ORDER[(ORDER.indexOf(this.#placement) + 1) % ORDER.length] ?? "floating";
  }

  get #placement(): Placement {
    const { inline, element } = this.#host;
    if (inline) return "inline";
    const own = element.getAttribute("placement");
    return this.#place.placement ?? (isPlacement(own) ? own : "floating");
  }

  #theme(): void {
    if (!this.#host.shown) return;
    const { dark, values } = readTheme(this.#host.element);
    this.#host.content.classList.toggle("dark", dark);
    const { style } = this.#host.looks.cssRules[1] as CSSStyleRule;
    style.cssText = "";
    for (const [name, value] of Object.entries(values)) style.setProperty(`--wa-${name}`, value);
  }

  /** Put the panel where it belongs in this window. */
  #arrange(): void {
    const placement = this.#placement;
    const { style } = this.#host.looks.cssRules[0] as CSSStyleRule;
    const { end = 16, bottom = 16, width, height } = this.#place;
    const set = (name: string, value: number | undefined) =>
      value === undefined ? style.removeProperty(name) : style.setProperty(name, `${value}px`, "important");
    this.#host.place(placement);
    set("--wa-width", width && Math.min(Math.max(width, LEAST_WIDTH), innerWidth - 2 * MARGIN));
    set("--wa-height", height && Math.min(Math.max(height, LEAST_HEIGHT), innerHeight - 2 * MARGIN));
    // Measured with its size of now, so that it does not leave the window.
    const { width: wide, height: high } = this.#panel.getBoundingClientRect();
    const isFree = placement === "floating";
    set("--wa-end", isFree ? Math.max(MARGIN, Math.min(end, innerWidth - wide - MARGIN)) : 0);
    set("--wa-bottom", isFree ? Math.max(MARGIN, Math.min(bottom, innerHeight - Math.max(high, LEAST_HEIGHT) - MARGIN)) : 0);
    const label = this.#texts[`place_${this.#next as "floating" | "tall" | "docked"}`];
    this.#switch.title = this.#switch.ariaLabel = label;
    const isDocked = placement === "docked" && this.#host.shown && !this.#panel.hidden && !this.#narrow.matches;
    const sheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#room);
    if (isDocked) this.#room.replaceSync(`@media screen { html { margin-inline-end: ${Math.ceil(wide)}px !important; } }`);
    if (isDocked || sheets.length < document.adoptedStyleSheets.length) {
      document.adoptedStyleSheets = isDocked ? [...sheets, this.#room] : sheets;
    }
  }

  #choose(place: Place): void {
    this.#place = place;
    this.#host.element.removeAttribute("data-aside");
    try {
      tabStorage().setItem(PLACE_KEY, JSON.stringify(place));
    } catch {
      // A full storage; the place lasts as long as the page.
    }
    this.#arrange();
  }

  /** Move some edges, or without any the whole. */
  #move(from: Box, edges: string, dx: number, dy: number): void {
    const box = edges ? resized(from, edges, dx, dy) : { ...from, left: from.left + dx, top: from.top + dy };
    if (this.#placement !== "floating") {
      this.#choose({ ...this.#place, width: box.width });
      return;
    }
    const end = this.#isRtl ? box.left : innerWidth - box.left - box.width;
    this.#choose({
      ...this.#place,
      end,
      bottom: innerHeight - box.top - box.height,
      // The height that follows from the content stays free while the width changes.
      ...(/[ew]/.test(edges) && { width: box.width }),
      ...(/[ns]/.test(edges) && { height: box.height }),
    });
  }

  get #isRtl(): boolean {
    return this.#host.element.matches(":dir(rtl)");
  }

  #draggable(target: HTMLElement, edges: string): void {
    target.addEventListener("pointerdown", (down) => {
      const pressed = (down.target as Element).closest("button");
      if (!down.isTrusted || down.button !== 0 || (pressed && !pressed.matches(".grip"))) return;
      if (this.#placement === "inline" || this.#narrow.matches || (!edges && this.#placement !== "floating")) return;
      const from = this.#box;
      const move = ({ clientX, clientY }: PointerEvent) => this.#move(from, edges, clientX - down.clientX, clientY - down.clientY);
      target.setPointerCapture(down.pointerId);
      target.addEventListener("pointermove", move);
      target.addEventListener("lostpointercapture", () => target.removeEventListener("pointermove", move), { once: true });
    });
  }

  #onKey(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (!way || !event.isTrusted || this.#placement === "inline") return;
    event.preventDefault();
    const [dx, dy] = [way[0] * KEY_STEP, way[1] * KEY_STEP];
    // It grows to where there is room: away from the edge at which it begins.
    const edge = dy ? "n" : this.#isRtl ? "e" : "w";
    this.#move(this.#box, event.shiftKey ? edge : "", dx, dy);
  }

  get #box(): Box {
    const { left, top, width, height } = this.#panel.getBoundingClientRect();
    return { left, top, width, height };
  }

  /** Step aside if the panel covers what the agent touches; for a request it stays where it is. */
  #keepClear(event: Event): void {
    if (!this.#acting || this.#host.inline || (event.isTrusted && event.type !== "focusin")) return;
    const { element } = this.#host;
    const path = event.composedPath();
    const target = path[0];
    if (!(target instanceof Element) || path.includes(element)) return;
    const touched = target.getBoundingClientRect();
    for (const side of [element.dataset["aside"] ?? "", "", "start", "top"]) {
      element.dataset["aside"] = side;
      if (!overlap(this.#panel.getBoundingClientRect(), touched)) return;
    }
    element.dataset["aside"] = "";
  }
}

/** A box of which some edges were moved, within the limits of its size. */
function resized({ left, top, width, height }: Box, edges: string, dx: number, dy: number): Box {
  const grown = (size: number, by: number, least: number, most: number) => (by ? Math.max(least, Math.min(size + by, most)) : size);
  const wide = grown(width, edges.includes("e") ? dx : edges.includes("w") ? -dx : 0, LEAST_WIDTH, innerWidth - 2 * MARGIN);
  const high = grown(height, edges.includes("s") ? dy : edges.includes("n") ? -dy : 0, LEAST_HEIGHT, innerHeight - 2 * MARGIN);
  return {
    left: edges.includes("w") ? left + width - wide : left,
    top: edges.includes("n") ? top + height - high : top,
    width: wide,
    height: high,
  };
}

function overlap(a: DOMRect, b: DOMRect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** The place that the tab keeps; the storage may hold anything. */
function storedPlace(): Place {
  try {
    const kept = JSON.parse(tabStorage().getItem(PLACE_KEY) ?? "{}") as Record<string, unknown>;
    const length = (name: string) => (Number.isFinite(kept[name]) ? { [name]: Math.round(kept[name] as number) } : {});
    const { placement } = kept;
    return {
      ...(isPlacement(placement) && { placement }),
      ...length("end"), ...length("bottom"), ...length("width"), ...length("height"),
    };
  } catch {
    return {};
  }
}
