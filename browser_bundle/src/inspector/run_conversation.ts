/** Shows a run as the panel does, with the panel's parts and styles, in a shadow root. */
import type * as AnswersPart from "../panel/answers.ts";
import { Conversation } from "../panel/conversation.ts";
import { PANEL_CSS } from "../panel/panel_styles.ts";
import { currentTexts, loadPart } from "../panel/panel_texts.ts";
import { UsageMeter } from "../panel/usage_meter.ts";
import type { AgentEvent } from "../run/run_events.ts";
import { h } from "../ui/elements.ts";

/** The surrounding view provides the room and the border. */
const HERE_CSS = `
:host { display: block; }
.frame { background: none; font-size: calc(14 * var(--wa-px)); }
.log { overflow: visible; padding: 0 2px; }
.requests { border: 1px solid var(--line); border-radius: 12px; max-block-size: 75vh; }
.foot { justify-content: flex-start; }
.greeting { display: none; }
.note.bad { color: var(--bad); }
`;

const DARK = matchMedia("(prefers-color-scheme: dark)");

export class RunConversation {
  readonly element = h("div", { class: "story" });
  #conversation = new Conversation(currentTexts(), { answers: () => loadPart<typeof AnswersPart>("answers") });
  #meter = new UsageMeter(currentTexts());
  #frame: HTMLElement;

  /** @param more Shown below the conversation. */
  constructor(...more: HTMLElement[]) {
    this.#frame = h("div", { class: "frame" }, this.#conversation.element, ...more, h("div", { class: "foot" }, this.#meter.line));
    // The view around it scrolls, so the conversation itself does not.
    this.#conversation.element.removeAttribute("tabindex");
    const root = this.element.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [PANEL_CSS, HERE_CSS].map((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      return sheet;
    });
    // A link of an answer leads to the site, and the inspector stays open.
    root.addEventListener("click", ({ target }) => (target as Element).closest("a")?.setAttribute("target", "_blank"));
    root.append(this.#frame);
    this.#dress();
    DARK.addEventListener("change", this.#dress);
  }

  /** Stop watching the theme; the conversation is no longer shown. */
  close(): void {
    DARK.removeEventListener("change", this.#dress);
  }


  /** The current step, in words. */
  get doing(): string {
    return this.#conversation.doing;
  }

  add(event: AgentEvent): void {
    this.#meter.add(event);
    this.#conversation.show(event);
  }

  note(text: string): void {
    this.#conversation.note(text, "note bad");
  }

  clear(): void {
    this.#conversation.clear();
    this.#meter.reset();
  }

  #dress = (): void => void this.#frame.classList.toggle("dark", DARK.matches);
}
