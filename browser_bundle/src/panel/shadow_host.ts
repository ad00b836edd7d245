/** The element of the panel in the page: a closed shadow root that isolates it from the page. */
import { h } from "../ui/elements.ts";
import type { PanelState } from "./conversation_store.ts";
import { HOST_CSS, PANEL_CSS } from "./panel_styles.ts";

/** Events that are kept from the page: keys would trigger its shortcuts, clicks would close its menus. */
const KEPT = [
  ...["keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit", "reset"],
  ...["copy", "cut", "paste", "focusin", "focusout", "wheel", "contextmenu", "toggle"],
  ...["click", "dblclick", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup"],
  ...["touchstart", "touchend", "compositionstart", "compositionupdate", "compositionend"],
];

/** Where the panel is: in the layout of the page, or in one of three ways above it. */
export type Placement = "inline" | "floating" | "tall" | "docked";

export function isPlacement(value: unknown): value is Exclude<Placement, "inline"> {
  return value === "floating" || value === "tall" || value === "docked";
}

export class ShadowHost {
  /** The content of the panel. */
  readonly content = h("div", { class: "frame" });
  /** Rules of `looks.js`. */
  readonly looks = new CSSStyleSheet();
  /** Called when the panel was shown, or moved to another element. */
  onShow: () => void = () => {};
  /** The panel's own element, for a page that has none. */
  #own = document.createElement("webagent-panel");
  #element = this.#own;
  #roots = new WeakMap<Element, ShadowRoot>();
  #root: ShadowRoot;
  #above = sheetOf(HOST_CSS);
  #inner = sheetOf(PANEL_CSS);
  #keyboard = new CSSStyleSheet();
  #shown: PanelState = "closed";
  /** The element of the page that had the focus before. */
  #outside: Element | null = null;
  #inside: Element | null = null;
  #unwatch: (() => void) | undefined;
  #onKey: (event: KeyboardEvent) => void;

  /** @param onKey Called for keys that are pressed in the panel. */
  constructor(onKey: (event: KeyboardEvent) => void) {
    this.#onKey = onKey;
    this.#root = this.#rootOf(this.#own) as ShadowRoot;
    this.#root.append(this.content);
  }

  /** The element that holds the panel: its own one, or that of the page. */
  get element(): HTMLElement {
    return this.#element;
  }

  /** Whether the page has put the panel into its own layout, where it is always open. */
  get inline(): boolean {
    return this.#element !== this.#own && !isPlacement(this.#element.getAttribute("placement"));
  }

  get shown(): boolean {
    return this.#shown !== "closed";
  }

  /** Show it in this state, or remove it from the page. */
  show(shown: PanelState): void {
    this.#shown = shown;
    this.settle();
    if (shown === "closed") {
      this.#unwatch?.();
      this.#unwatch = undefined;
      this.#own.remove();
    } else {
      this.#unwatch ??= this.#watch();
    }
    this.onShow();
  }

  /** Style it for a placement. */
  place(placement: Placement): void {
    this.#above.disabled = placement === "inline";
    this.#element.dataset["placement"] = placement;
    this.content.classList.remove("inline", "floating", "tall", "docked");
    this.content.classList.add(placement);
  }

  /** Dispatch an event of the panel at its element. */
  emit(type: "open" | "close" | "run" | "finished", detail?: object): void {
    this.#element.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** The closed root of an element; undefined if the page has given it one. */
  #rootOf(element: HTMLElement): ShadowRoot | undefined {
    let root = this.#roots.get(element);
    if (root) return root;
    try {
      root = element.attachShadow({ mode: "closed" });
    } catch {
      return undefined;
    }
    this.#roots.set(element, root);
    root.adoptedStyleSheets = [this.#above, this.#inner, this.looks, this.#keyboard];
    root.addEventListener("keydown", (event) => this.#onKey(event as KeyboardEvent));
    for (const type of KEPT) root.addEventListener(type, (event) => event.stopPropagation());
    return root;
  }

  /** Go into the element that the page has for the panel, or back into the own one. */
  #enter(dialog: Element | undefined): void {
    const placed = [...document.querySelectorAll<HTMLElement>("webagent-panel")].find((each) => each !== this.#own);
    // Outside of a modal dialog nothing of the page can be used.
    const usable = placed && (!dialog || dialog.contains(placed)) && this.#rootOf(placed);
    const element = usable ? placed : this.#own;
    if (element === this.#element) return;
    this.#element = element;
    this.#root = usable || (this.#rootOf(this.#own) as ShadowRoot);
    this.#own.remove();
    this.#root.append(this.content);
    this.onShow();
  }

  /** Whether the focus is in the panel. */
  get hasFocus(): boolean {
    return this.#root.activeElement !== null;
  }

  /** Whether nothing has the focus, as after the focused element was removed. */
  get lostFocus(): boolean {
    return document.activeElement === document.body || document.activeElement === null;
  }

  /** Whether the person is typing in a field of the page. */
  get pageIsBeingWritten(): boolean {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!at || this.hasFocus) return false;
    return at.matches("input, textarea, select, iframe") || (at as HTMLElement).isContentEditable;
  }

  /** Remember the focused element before the panel, or something new in it, takes the focus. */
  keepFocus(): void {
    this.#inside = this.#root.activeElement;
    if (!this.#inside) this.#outside = document.activeElement;
  }

  /** Give the focus back to the element that had it before, in the panel or on the page. */
  giveFocusBack(): void {
    const inside = this.#inside;
    this.#inside = null;
    if (!inside) this.leaveFocus();
    else if (!focused(inside)) focused(this.content.querySelector(".bar button"));
  }

  /** Give the focus to the page. */
  leaveFocus(): void {
    focused(this.#outside);
    this.#outside = this.#inside = null;
  }

  /**
   * Keep the panel usable. The page may have removed it, and a modal dialog makes everything else inert,
   * so while one is open the panel is moved into it.
   */
  settle(): void {
    const dialogs = document.querySelectorAll("dialog:modal");
    const dialog = dialogs[dialogs.length - 1];
    this.#enter(dialog);
    const { inline } = this;
    const element = this.#element;
    const shown = inline ? "open" : this.#shown;
    if (element.dataset["shown"] !== shown) element.dataset["shown"] = shown;
    if (inline !== this.#above.disabled || !element.dataset["placement"]) this.place(inline ? "inline" : "floating");
    document.querySelector("webagent-launcher")?.toggleAttribute("hidden", inline || this.shown);
    if (inline) element.popover = null;
    if (inline || !this.shown) return;
    const home = dialog ?? document.documentElement;
    if (element === this.#own && element.parentNode !== home) home.append(element);
    // The top layer is above all elements of the page, and outside of its filters.
    element.popover = "manual";
    if (!element.matches(":popover-open")) element.showPopover();
  }

  #watch(): () => void {
    const settle = () => this.settle();
    const keyboard = () => this.#aboveKeyboard();
    document.addEventListener("toggle", settle, true);
    document.addEventListener("close", settle, true);
    visualViewport?.addEventListener("resize", keyboard);
    return () => {
      document.removeEventListener("toggle", settle, true);
      document.removeEventListener("close", settle, true);
      visualViewport?.removeEventListener("resize", keyboard);
    };
  }

  /** Move the panel above the on-screen keyboard of a phone. */
  #aboveKeyboard(): void {
    const { height = innerHeight, offsetTop = 0, scale = 1 } = visualViewport ?? {};
    const covered = scale > 1 ? 0 : Math.max(0, innerHeight - height - offsetTop);
    this.#keyboard.replaceSync(`:host { --wa-keyboard: ${covered}px !important; }`);
  }
}

function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** Focus an element if it is visible; returns whether it was. */
function focused(element: Element | null): boolean {
  if (!(element instanceof HTMLElement) || !element.checkVisibility()) return false;
  element.focus({ preventScroll: true });
  return true;
}
