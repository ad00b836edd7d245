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

export class ShadowHost {
  /** The content of the panel. */
  readonly content = h("div", { class: "frame" });
  #element = document.createElement("webagent-panel");
  #root = this.#element.attachShadow({ mode: "closed" });
  #keyboard = new CSSStyleSheet();
  #shown: PanelState = "closed";
  /** The element of the page that had the focus before. */
  #outside: Element | null = null;
  #inside: Element | null = null;
  #unwatch: (() => void) | undefined;

  /** @param onKey Called for keys that are pressed in the panel. */
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
    // The top layer is above all elements of the page, and outside of its filters.
    this.#element.popover = "manual";
  }

  /** Show it in this state, or remove it from the page. */
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
    else if (!focused(inside)) focused(this.content.querySelector(".bar:not([hidden]) button"));
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

  /** Move the panel above the on-screen keyboard of a phone. */
  #aboveKeyboard(): void {
    const { height = innerHeight, offsetTop = 0, scale = 1 } = visualViewport ?? {};
    const covered = scale > 1 ? 0 : Math.max(0, innerHeight - height - offsetTop);
    this.#keyboard.replaceSync(`:host { --keyboard: ${covered}px; }`);
  }
}

/** Focus an element if it is visible; returns whether it was. */
function focused(element: Element | null): boolean {
  if (!(element instanceof HTMLElement) || !element.checkVisibility()) return false;
  element.focus({ preventScroll: true });
  return true;
}

function launcher(): Element | null {
  return document.querySelector("webagent-launcher");
}

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark, or the person's system where the page does not say. */
function isDark(): boolean {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const light = /\blight\b/.test(scheme);
  const dark = /\bdark\b/.test(scheme);
  return light === dark ? DARK.matches : dark;
}

/** Call `listener` when the theme may have changed; returns what ends this. */
function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  // Sites switch their theme by a class, an attribute or a style of the root, or by a meta tag.
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
