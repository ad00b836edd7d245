/** A step of a run: a line with what is done, which unfolds to the result. */
import { followUp, type StepEvent } from "../run/run_events.ts";
import { duration, line } from "../ui/display_text.ts";
import { h, picture, words, type Icon } from "../ui/elements.ts";
import type { Answers } from "./answers.ts";
import { block, brief, pairs } from "./data_view.ts";
import { fill, type Texts } from "./panel_texts.ts";

/** Steps that only talk; the conversation shows their text. */
const SILENT = new Set(["finish", "communicate", "make_plan", "take_note"]);

const STATES = { started: "running", finished: "done", failed: "failed", cancelled: "cancelled" } as const;
const ICONS: Record<StepEvent["state"], Icon> = {
  started: "started",
  finished: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** Most characters of the name of a step's element, and of a text that it was given. */
const MOST_NAME = 80;

/** Whether a step has a line of its own; an answer that went back to the model has not. */
export function isShown(event: StepEvent): boolean {
  return !SILENT.has(event.action) || (event.state === "failed" && event.action !== "finish");
}

/** A title for a step. */
export function stepTitle(event: StepEvent, texts: Texts): string {
  if (event.sentence) return event.sentence;
  if (event.why) return event.why;
  const name = event.element?.name.replace(/[`\s]+/g, " ").trim().slice(0, MOST_NAME);
  const action = event.action === "click" && event.element?.role === "link" ? "click_link" : event.action;
  const known = texts[(name ? `action_${action}_on` : `action_${action}`) as keyof Texts];
  if (event.title) return event.title;
  return known ? fill(known, { tool: event.tool ?? "", name: name ?? "" }) : event.tool || event.action;
}

/** A tool's name as words, where the site gives it no title: `addToBasket` is `Add to basket`. */
export function inWords(name: string): string {
  const spaced = name.replace(/(\p{Ll}|\d)(?=\p{Lu})|[_-]+/gu, "$1 ").trim();
  return spaced.charAt(0).toUpperCase() + (spaced === name ? spaced.slice(1) : spaced.slice(1).toLowerCase());
}

/** Does something with `answers.js`, once it is there. */
export type UseAnswers = (act: (answers: Answers) => void) => void;

export class StepItem {
  readonly element: HTMLLIElement;
  #event: StepEvent;
  #texts: Texts;
  #use: UseAnswers;
  #head = h("summary");
  #body = h("div", { class: "body" });
  /** The part of a finished step that `answers.js` fills. */
  #more = h("div", { class: "more" });
  /** The calls of the step's program. */
  #inner = h("ol", { class: "steps inner" });

  constructor(event: StepEvent, texts: Texts, use: UseAnswers) {
    this.#texts = texts;
    this.#use = use;
    this.#event = event;
    this.element = h("li", {}, h("details", {}, this.#head, this.#body), this.#more, this.#inner);
    this.show(event);
  }

  /**
   * Show the step's latest state.
   *
   * @param live Whether it is that of this page, now.
   */
  show(event: StepEvent, live = false): void {
    const texts = this.#texts;
    // After a navigation the number of its element is that of another one.
    const isHere = live && event.element !== undefined;
    this.#event = event = followUp(this.#event, event);
    this.element.className = `step ${event.state}`;
    const shown = argumentsOf(event);
    const state = texts[STATES[event.state]];
    this.#head.replaceChildren(
      picture(event.attended && event.state === "started" ? "ask" : ICONS[event.state]),
      h(
        "span",
        { class: "what" },
        h("span", { class: "title", dir: "auto" }, ...words(stepTitle(event, texts))),
        h("span", { class: "unseen" }, `, ${state}`),
        h("span", { class: "call", dir: "auto" }, givenText(event)),
      ),
      h("span", { class: "time" }, event.duration_ms !== undefined && duration(event.duration_ms)),
      picture("chevron"),
    );
    this.#body.replaceChildren();
    this.#more.replaceChildren();
    if (Object.keys(shown).length > 0) {
      this.#body.append(h("h4", {}, texts.arguments), pairs(shown, texts));
    }
    if (event.error) {
      const { message, help } = event.error;
      this.#body.append(h("h4", {}, texts.error), h("p", { dir: "auto" }, ...words(message)));
      if (help) this.#body.append(h("p", { class: "quiet", dir: "auto" }, ...words(help)));
    }
    if (event.state === "finished") {
      const none = event.value === undefined || event.value === null;
      this.#body.append(
        h("h4", {}, texts.result),
        none ? h("p", { class: "quiet" }, texts.no_value) : h("div", { class: "data" }, block(event.value, texts)),
      );
      this.#use((answers) => answers.step(event, this.element, isHere));
    }
  }

  /** The run has ended: mark a step that was still running as cancelled. */
  end(): void {
    if (this.#event.state === "started") this.show({ ...this.#event, state: "cancelled" });
  }

  /** Add a call of the step's program. */
  append(step: StepItem): void {
    this.#inner.append(step.element);
  }
}

/** The arguments of a tool or an action, for display. */
function argumentsOf(event: StepEvent): Record<string, unknown> {
  const given = event.arguments ?? {};
  const inner = event.action === "call_tool" && event.tool ? given["arguments"] : undefined;
  return (inner as Record<string, unknown> | undefined) ?? given;
}

/** The arguments in a line: `Dune, Quantity: 2`; before them the tool, where the agent's words are the title. */
export function givenText(event: StepEvent): string {
  const { action, tool, why, sentence, element, labels, names, title } = event;
  // A program has its calls below it, and the site's own sentence says what was done.
  if (action === "execute_js" || sentence) return "";
  const touched = element?.name.trim() && action.startsWith("click");
  // The number of an element says nothing to a person.
  const given = touched ? [] : Object.entries(argumentsOf(event)).filter(([name, value]) => name !== "pp_id" && value !== "");
  const said = (value: unknown) => (typeof value === "string" ? line(value, MOST_NAME) : brief(value));
  const parts = given.map(([name, value]) => names?.[name] ?? `${labels?.[name] ?? inWords(name)}: ${said(value)}`);
  return [...(why && tool ? [title ?? inWords(tool)] : []), ...parts].join(", ");
}
