/** A small badge in the corner while Python starts; it stays with the error if the start fails. */
import type { Progress } from "../boot/downloads.ts";
import { element, h, shadowHost, words } from "../ui/elements.ts";
import { besidePanel } from "./overlay.ts";

const CSS = `
:host { all: initial; position: fixed; right: 76px; bottom: 18px; z-index: 2147483646;
  max-width: min(420px, calc(100vw - 96px)); }
.pill { display: flex; gap: 10px; align-items: center; padding: 7px 12px; border-radius: 9px;
  background: #14161d; color: #e7e9f0; font: 13px/1.4 ui-sans-serif, system-ui, sans-serif;
  box-shadow: 0 4px 18px rgb(0 0 0 / .28); }
.failed { display: block; border-left: 4px solid #ff6b6b; padding: 12px 16px; }
.failed p { margin: 4px 0 10px; overflow-wrap: anywhere; color: #c9cedb; }
progress { width: 90px; height: 6px; accent-color: #8ab4ff; }
a { color: #8ab4ff; }
code { font: 12px/1.4 ui-monospace, Menlo, Consolas, monospace; }
button { font: inherit; color: #e7e9f0; background: #2a2e3b; border: 0; border-radius: 6px;
  padding: 4px 10px; cursor: pointer; }
button:focus-visible { outline: 2px solid #8ab4ff; outline-offset: 2px; }
`;

/** Pixels at the left that the panel leaves free if it is at the right. */
const MARGIN = 60;

/** A start that takes less than this shows nothing. */
const SHOW_AFTER_MS = 400;

const PHASES: Record<Progress["phase"], string> = {
  download: "Loading the agent",
  python: "Starting the agent",
  manifest: "Reading the manifest",
};

export class StatusPill {
  #inspector: string;
  #endRoom = () => {};
  #host: HTMLElement | undefined;
  #root: ShadowRoot | undefined;
  #since = performance.now();
  #failed = false;

  /** @param inspector URL of the inspector. */
  constructor(inspector: string) {
    this.#inspector = inspector;
  }

  /** Show the progress of the start. */
  progress({ phase, loaded, total }: Progress): void {
    if (this.#failed || performance.now() - this.#since < SHOW_AFTER_MS) return;
    const bar = document.createElement("progress");
    bar.max = total;
    if (phase === "download") bar.value = loaded;
    const pill = element("div", "pill", element("span", "", PHASES[phase]), bar);
    pill.setAttribute("role", "status");
    this.#show(pill);
  }

  /** Show an error until it is closed. */
  failed(title: string, message: string): void {
    this.#failed = true;
    const close = element("button", "", "Close");
    close.addEventListener("click", () => this.#clear());
    const pill = element(
      "div",
      "pill failed",
      element("strong", "", title),
      h("p", {}, ...words(message)),
      h("p", {}, h("a", { href: this.#inspector, target: "_blank", rel: "noopener" }, "Open the inspector")),
      close,
    );
    pill.setAttribute("role", "alert");
    this.#show(pill);
  }

  /** The start is over: remove the badge, unless it shows an error. */
  ready(): void {
    if (!this.#failed) this.#clear();
  }

  #clear(): void {
    this.#endRoom();
    this.#host?.remove();
    this.#host = this.#root = undefined;
  }

  #show(content: HTMLElement): void {
    if (!this.#host || !this.#root) {
      ({ host: this.#host, root: this.#root } = shadowHost("webagent-status", CSS));
    }
    if (!this.#host.isConnected) {
      document.documentElement.append(this.#host);
      const { style } = this.#host;
      this.#endRoom();
      this.#endRoom = besidePanel((panel) => {
        const side = panel && panel.left > MARGIN ? innerWidth - panel.left + 8 : 0;
        // On a phone the panel takes the whole width.
        const above = panel && (panel.width > innerWidth / 2 || panel.height < 80) ? innerHeight - panel.top + 8 : 0;
        style.right = side && !above ? `${side}px` : "";
        style.bottom = above ? `${above}px` : "";
      });
    }
    this.#root.replaceChildren(content);
  }
}
