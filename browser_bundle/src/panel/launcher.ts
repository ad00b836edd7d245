/** The small button that opens the panel, and the element that a page may have for it; both load `panel.js`. */
import type { PanelAgent, PanelScript } from "../run/person.ts";

/** Key in sessionStorage of the panel's state: `open` or `minimised`, with ` focused` behind it if it has the focus. */
export const PANEL_STATE_KEY = "webagent.panel";

/** `open` of the panel's texts, which are not loaded yet. */
const OPEN: Record<string, string> = { de: "Assistent", fr: "Assistant", es: "Asistente", ar: "المساعد" };

const CSS = `:host{all:initial!important;position:fixed!important;inset-block-end:16px!important;inset-inline-end:16px!important;z-index:2147483645!important}
:host([hidden]){display:none!important}
@media print{:host{display:none!important}}
button{display:grid;place-items:center;width:48px;height:48px;padding:0;border:1px solid #fff6;border-radius:50%;cursor:pointer;
background:var(--webagent-accent,#3157cc);color:var(--webagent-on-accent,#fff);box-shadow:0 2px 12px #0005}
button::before{content:"";width:20px;height:20px;background:currentColor;clip-path:polygon(50% 0,62% 38%,100% 50%,62% 62%,50% 100%,38% 62%,0 50%,38% 38%)}
button:focus-visible{outline:2px solid var(--webagent-accent,#3157cc);outline-offset:3px}`;

/**
 * Show the button, or the panel in the page's own `<webagent-panel>`; a panel that was open on the previous page is
 * restored.
 *
 * @param load Loads `panel.js`.
 */
export function offerPanel(agent: PanelAgent, load: () => Promise<PanelScript>): void {
  const use = (act: (script: PanelScript) => unknown) => {
    load().then(act).catch((thrown: unknown) => console.error("webagent: no panel:", thrown));
  };
  const restore = () => use(({ restorePanel }) => restorePanel(agent));
  showLauncher(() => use(({ openPanel }) => openPanel(agent)));
  try {
    const element = class extends HTMLElement {};
    Object.assign(element.prototype, { connectedCallback: restore, disconnectedCallback: restore });
    customElements.define("webagent-panel", element);
    if (sessionStorage.getItem(PANEL_STATE_KEY)) restore();
  } catch {
    // A page without storage shows only the button.
  }
}

function showLauncher(open: () => void): void {
  const host = document.createElement("webagent-launcher");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
  const button = document.createElement("button");
  button.ariaLabel = button.title =
    (window.webagentTexts?.["open"] as string) ?? OPEN[document.documentElement.lang.slice(0, 2)] ?? "Open the assistant";
  button.onclick = open;
  root.append(button);
  document.documentElement.append(host);
}
