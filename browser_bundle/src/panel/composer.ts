/** The field for a goal; while the agent works, a line about it and a button to stop it. */
import { button, h, onSubmit, picture, submitOnEnter } from "../ui/elements.ts";
import type { Texts } from "./panel_texts.ts";

interface ComposerActions {
  start(goal: string): void;
  stop(): void;
  /** Let the person take over, or the run go on. */
  pause(): void;
  draft(text: string): void;
}

export class Composer {
  readonly element: HTMLElement;
  #form: HTMLFormElement;
  #field: HTMLTextAreaElement;
  #bar: HTMLElement;
  #doing = h("span", { class: "doing", dir: "auto" });
  #progress: HTMLProgressElement;
  #stop: HTMLButtonElement;
  #pause: HTMLButtonElement;
  #texts: Texts;

  constructor(texts: Texts, acts: ComposerActions) {
    this.#texts = texts;
    this.#field = h("textarea", {
      id: "goal",
      rows: "1",
      dir: "auto",
      autocomplete: "off",
      enterkeyhint: "send",
      placeholder: texts.goal_hint,
    });
    const send = h("button", { class: "primary", type: "submit", "aria-label": texts.start, title: texts.start }, picture("send"));
    this.#form = h(
      "form",
      { class: "composer" },
      h("label", { class: "unseen", for: "goal" }, texts.goal),
      this.#field,
      send,
    );
    onSubmit(this.#form, () => {
      const goal = this.#field.value.trim();
      if (goal) acts.start(goal);
    });
    submitOnEnter(this.#field, this.#form);
    this.#field.addEventListener("input", () => acts.draft(this.#field.value));
    this.#stop = button("", picture("stop"), acts.stop);
    this.#stop.append(texts.stop);
    this.#pause = button("", texts.let_me, acts.pause);
    this.#progress = h("progress", { "aria-label": texts.progress });
    this.#bar = h("div", {}, this.#progress, h("div", { class: "bar" }, this.#doing, this.#stop, this.#pause));
    this.element = h("div", {}, this.#form, this.#bar);
  }

  /** The text that was not sent. */
  get draft(): string {
    return this.#field.value;
  }

  set draft(text: string) {
    this.#field.value = text;
  }

  /**
   * Show the field, or the agent's progress.
   *
   * @param part The part that is loaded, from 0 to 1; undefined where nobody knows.
   */
  show(state: "ready" | "starting" | "running" | "paused" | "asking", doing: string, part?: number): void {
    const ready = state === "ready";
    // The focus goes from the part that is hidden to the one that is shown.
    const moves = (ready ? this.#bar : this.#form).matches(":focus-within");
    this.#progress.hidden = state === "asking" || state === "paused";
    if (part === undefined) this.#progress.removeAttribute("value");
    else this.#progress.value = part;
    this.#form.hidden = !ready;
    this.#bar.hidden = ready;
    const { go_on, let_me } = this.#texts;
    // A request has buttons of its own.
    this.#pause.hidden = state !== "running" && state !== "paused";
    this.#pause.textContent = state === "paused" ? go_on : let_me;
    this.#pause.classList.toggle("primary", state === "paused");
    this.#doing.textContent = doing;
    if (moves) this.focus();
  }

  /** Focus the part that the person uses next. */
  focus(): void {
    (this.#form.hidden ? this.#stop : this.#field).focus({ preventScroll: true });
  }
}
