/** The element of the panel in the page: a closed shadow root that neither side reaches through. */
import { h } from "../ui/elements.ts";
import type { PanelState } from "./conversation_store.ts";
import { HOST_CSS, PANEL_CSS } from "./panel_styles.ts";

/** What the page does not hear of: keys would be its shortcuts, clicks would close its menus. */
const KEPT = [
  ...["keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit", "reset"],
  ...["copy", "cut", "paste", "focusin", "focusout", "wheel", "contextmenu", "toggle"],
  ...["click", "dblclick", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup"],
  ...["touchstart", "touchend", "compositionstart", "compositionupdate", "compositionend"],
];

export class ShadowHost {
  /** What is in the panel. */
  readonly content = h("div", { class: "frame" });
  #element = document.createElement("webagent-panel");
  #root = this.#element.attachShadow({ mode: "closed" });
  #keyboard = new CSSStyleSheet();
  #shown: PanelState = "closed";
  /** What had the focus before. */
  #outside: Element | null = null;
  #inside: Element | null = null;
  #unwatch: (() => void) | undefined;

  /** @param onKey Hears the keys that are pressed in the panel. */
  constructor(onKey: (event: KeyboardEvent) => void) {
    const sheets = [HOST_CSS, PANEL_CSS].map((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    });
    this.#root.adoptedStyleSheets = [...sheets, this.#keyboard];
    this.#root.append(this.content);
    this.#root.addEventListener("keydown", (event) => onKey(event as KeyboardEvent));
    for (const type of KEPT) this.#root.addEventListener(type, (event) => event.stopPropagation());
    // In the top layer it is above whatever the page puts on top, and below no filter of the page.
    this.#element.popover = "manual";
  }

  /** Put it into the page in this form, or take it away. */
  show(shown: PanelState): void {
    this.#shown = shown;
    this.#element.dataset["shown"] = shown;
    launcher()?.toggleAttribute("hidden", shown !== "closed");
    if (shown === "closed") {
      this.#unwatch?.();
      this.#unwatch = undefined;
      this.#element.remove();
      return;
    }
    this.settle();
    this.#theme();
    this.#unwatch ??= this.#watch();
  }

  /** Whether the focus is in the panel. */
  get hasFocus(): boolean {
    return this.#root.activeElement !== null;
  }

  /** Whether the focus is nowhere, as after the element that had it went away. */
  get lostFocus(): boolean {
    return document.activeElement === document.body || document.activeElement === null;
  }

  /** Whether the person writes in a field of the page. */
  get pageIsBeingWritten(): boolean {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!at || this.hasFocus) return false;
    return at.matches("input, textarea, select, iframe") || (at as HTMLElement).isContentEditable;
  }

  /** Remember what has the focus before the panel, or something new in it, takes it. */
  keepFocus(): void {
    this.#inside = this.#root.activeElement;
    if (!this.#inside) this.#outside = document.activeElement;
  }

  /** Give the focus to what had it before: in the panel, or on the page. */
  giveFocusBack(): void {
    const inside = this.#inside;
    this.#inside = null;
    if (!inside) this.leaveFocus();
    else if (!focused(inside)) focused(this.content.querySelector(".bar:not([hidden]) button"));
  }

  /** Give the focus to the page. */
  leaveFocus(): void {
    focused(this.#outside);
    this.#outside = this.#inside = null;
  }

  /**
   * See that it is where it can be used: pages may take it away, and a modal dialog of the page makes
   * all else lifeless, so while one is open the panel is in it.
   */
  settle(): void {
    if (this.#shown === "closed") return;
    const dialogs = document.querySelectorAll("dialog:modal");
    const home = dialogs[dialogs.length - 1] ?? document.documentElement;
    if (this.#element.parentNode !== home) home.append(this.#element);
    if (!this.#element.matches(":popover-open")) this.#element.showPopover();
  }

  #theme(): void {
    this.content.classList.toggle("dark", isDark());
  }

  #watch(): () => void {
    const settle = () => this.settle();
    const keyboard = () => this.#aboveKeyboard();
    const endTheme = watchTheme(() => this.#theme());
    document.addEventListener("toggle", settle, true);
    document.addEventListener("close", settle, true);
    visualViewport?.addEventListener("resize", keyboard);
    return () => {
      endTheme();
      document.removeEventListener("toggle", settle, true);
      document.removeEventListener("close", settle, true);
      visualViewport?.removeEventListener("resize", keyboard);
    };
  }

  /** The keyboard of a phone lies over what is at the lower edge. */
  #aboveKeyboard(): void {
    const { height = innerHeight, offsetTop = 0, scale = 1 } = visualViewport ?? {};
    const covered = scale > 1 ? 0 : Math.max(0, innerHeight - height - offsetTop);
    this.#keyboard.replaceSync(`:host { --keyboard: ${covered}px; }`);
  }
}

/** Focus an element if it can be seen; whether it could. */
function focused(element: Element | null): boolean {
  if (!(element instanceof HTMLElement) || !element.checkVisibility()) return false;
  element.focus({ preventScroll: true });
  return true;
}

function launcher(): Element | null {
  return document.querySelector("webagent-launcher");
}

// Whether the panel is light or dark: as the page is, or as the person's system asks.

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page around is dark. */
function isDark(): boolean {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const light = /\blight\b/.test(scheme);
  const dark = /\bdark\b/.test(scheme);
  return light === dark ? DARK.matches : dark;
}

/** Call `listener` when that may have changed; returns what ends it. */
function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  // Sites switch their scheme by a class, an attribute or a style of the root, or a meta tag.
  observer.observe(document.documentElement, { attributes: true });
  for (const meta of document.querySelectorAll('meta[name="color-scheme" i]')) {
    observer.observe(meta, { attributes: true });
  }
  DARK.addEventListener("change", listener);
  return () => {
    observer.disconnect();
    DARK.removeEventListener("change", listener);
  };
}
