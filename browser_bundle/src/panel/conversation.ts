/** The conversation: goals, plans, steps, texts and outcomes, in order. */
import type { AgentEvent, PersonRequest, PlanData, StepEvent } from "../run/run_events.ts";
import { h, picture, words } from "../ui/elements.ts";
import { fill, type Texts } from "./panel_texts.ts";
import { isShown, StepItem, stepTitle, type FindFile } from "./step_item.ts";

export class Conversation {
  readonly element: HTMLElement;
  /** The current step, in words. */
  doing = "";
  #texts: Texts;
  /** The runs whose goals are shown. */
  #runs = new Set<string>();
  #steps = new Map<string, StepItem>();
  #requests = new Map<string, PersonRequest>();
  /** The list that takes the next step; undefined after anything but a step. */
  #list: HTMLOListElement | undefined;
  /** A text that is still streaming. */
  #coming: HTMLElement | undefined;
  /** A goal that was sent, and whose run has not begun. */
  #sent: HTMLElement | undefined;
  /** The agent's last text. */
  #lastWords: HTMLElement | undefined;
  /** The person's last answer was a no, and no step has followed. */
  #refused = false;

  #file: FindFile;

  /** @param file Finds the pictures of steps; without it they are only named. */
  constructor(texts: Texts, file: FindFile = async () => null) {
    this.#texts = texts;
    this.#file = file;
    this.element = h("div", {
      class: "log",
      role: "log",
      tabindex: "0",
      "aria-label": texts.conversation,
      // A status line announces what matters; reading out everything would be too much.
      "aria-live": "off",
    });
  }

  /** Remove everything, and begin with a greeting. */
  clear(...greeting: HTMLElement[]): void {
    this.#runs.clear();
    this.#steps.clear();
    this.#requests.clear();
    this.#list = this.#coming = this.#lastWords = this.#sent = undefined;
    this.#refused = false;
    this.element.replaceChildren(...greeting);
  }

  /** Show a goal whose run is about to begin. */
  send(goal: string): void {
    this.#goal(goal);
    this.#sent = this.element.lastElementChild as HTMLElement;
    this.scrollToEnd();
  }

  /** Remove it: its run has begun, or has failed to. */
  unsend(): void {
    this.#sent?.remove();
    this.#sent = undefined;
  }

  /** Show an event. */
  show(event: AgentEvent): void {
    const nearEnd = this.#isNearEnd();
    this.#take(event);
    if (nearEnd || event.type === "started") this.scrollToEnd();
  }

  /** Scroll to the newest entry. */
  scrollToEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }

  /** Add a note that is not an event of a run; `more` unfolds. */
  note(text: string, className = "note", more?: HTMLElement): void {
    this.#add(h("p", { class: className, dir: "auto" }, ...words(text)));
    if (more) this.#add(more);
    this.scrollToEnd();
  }

  #take(event: AgentEvent): void {
    const texts = this.#texts;
    switch (event.type) {
      case "started":
        this.#refused = false;
        // The run has the goal without its secrets.
        this.unsend();
        if (!this.#runs.has(event.run_id)) this.#goal(event.goal);
        this.#runs.add(event.run_id);
        break;
      case "planned":
        this.#plan(event.plan, event.revised);
        break;
      case "rejected":
        if (event.by !== "person" && event.reason) this.note(event.reason);
        break;
      case "step":
        this.#step(event);
        break;
      case "text":
        this.#words(event.text, event.final);
        break;
      case "retrying":
        this.#dropComing();
        this.note(fill(texts.retrying, { seconds: String(event.wait_s), reason: event.reason }));
        break;
      case "switched":
        this.#dropComing();
        this.note(fill(texts.switched, { reason: event.reason }));
        break;
      case "asked":
        this.#requests.set(event.id, event.request);
        break;
      case "answered":
        this.#answered(event);
        break;
      case "navigating":
        this.note(fill(texts.went_to, { url: shortUrl(event.url) }), "note went");
        break;
      case "finished":
        this.#finished(event);
        break;
    }
  }

  /** Remove the words of a reply that did not come to its end. */
  #dropComing(): void {
    this.#coming?.remove();
    this.#coming = undefined;
  }

  #goal(goal: string): void {
    this.element.querySelector(".greeting")?.remove();
    this.#lastWords = undefined;
    this.#add(bubble(goal, this.#texts.you));
  }

  #plan(plan: PlanData, revised: boolean): void {
    const texts = this.#texts;
    const card = h(
      "section",
      { class: "plan" },
      h("h3", {}, revised ? texts.new_plan : texts.plan),
      h("p", { dir: "auto" }, ...words(plan.text)),
    );
    if (plan.steps.length > 1) {
      card.append(h("ol", {}, ...plan.steps.map(({ text }) => h("li", { dir: "auto" }, ...words(text)))));
    }
    this.#add(card);
  }

  #step(event: StepEvent): void {
    if (event.state === "started" || event.state === "finished") this.#refused = false;
    // A step that the person refused is not an error; the answer is shown already.
    if (this.#refused && event.state === "failed") {
      const { error: _, ...rest } = event;
      event = { ...rest, state: "cancelled" };
    }
    if (event.state === "started" && isShown(event)) this.doing = stepTitle(event, this.#texts).replaceAll("`", "");
    const known = this.#steps.get(event.id);
    if (known) {
      known.show(event);
      return;
    }
    if (!isShown(event)) return;
    // A text that comes with a call becomes its title and is shown once.
    if (event.why && event.why === this.#lastWords?.textContent) this.#lastWords.remove();
    const step = new StepItem(event, this.#texts, this.#file);
    this.#steps.set(event.id, step);
    const program = event.parent === undefined ? undefined : this.#steps.get(event.parent);
    if (program) {
      program.append(step);
      return;
    }
    let list = this.#list;
    if (!list) {
      list = h("ol", { class: "steps" });
      this.#add(list);
      this.#list = list;
    }
    list.append(step.element);
  }

  #words(text: string, final: boolean): void {
    if (!this.#coming) {
      if (!text) return;
      this.#coming = h("p", { class: "words", dir: "auto" });
      this.#add(this.#coming);
    }
    if (!final) {
      this.#coming.append(text);
      return;
    }
    this.#coming.textContent = text;
    this.#lastWords = this.#coming;
    this.#coming = undefined;
  }

  #answered({ id, yes, text }: Extract<AgentEvent, { type: "answered" }>): void {
    const texts = this.#texts;
    this.#refused = !yes;
    const request = this.#requests.get(id);
    if (!request) return;
    const what = String(request.details["tool"] || request.details["title"] || request.text);
    switch (request.kind) {
      case "question": {
        this.#add(h("p", { class: "words", dir: "auto" }, ...words(request.text)));
        const secret = request.details["secret"] === true;
        const said = yes ? (secret ? texts.hidden_answer : text) : texts.no_answer;
        this.#add(bubble(said, texts.you));
        return;
      }
      case "file":
        this.note(yes ? texts.gave_file : texts.no_file, "note answer");
        return;
      default: {
        const approval = request.kind === "approval";
        const said = yes
          ? approval ? fill(texts.allowed, { what }) : texts.said_yes
          : approval ? fill(texts.refused, { what }) : texts.said_no;
        this.note(!yes && text ? `${said} – ${text}` : said, "note answer");
      }
    }
  }

  #finished({ ok, text, error }: Extract<AgentEvent, { type: "finished" }>): void {
    const texts = this.#texts;
    this.#coming = undefined;
    // The agent's last text is often the outcome and is shown once.
    if (text && text === this.#lastWords?.textContent) this.#lastWords.remove();
    for (const step of this.#steps.values()) step.end();
    // A run that was stopped has no last text; one that gives up has a reason.
    const stopped = error?.kind === "cancelled" && !text;
    const ended = !ok && (stopped || this.#refused);
    const message = !ended && error?.message && !text.includes(error.message) ? error.message : "";
    const help = !ended && error?.help ? error.help : "";
    const without = ok ? texts.finished : stopped ? texts.stopped : ended ? texts.not_done : texts.not_finished;
    this.#add(
      h(
        "section",
        { class: ok ? "outcome" : ended ? "outcome ended" : "outcome bad" },
        picture(ok ? "done" : ended ? "cancelled" : "failed"),
        h(
          "div",
          {},
          h("p", { dir: "auto" }, ...words(text || without)),
          message && h("p", { class: "quiet", dir: "auto" }, ...words(message)),
          help && h("p", { class: "quiet", dir: "auto" }, ...words(help)),
        ),
      ),
    );
  }

  #add(element: HTMLElement): void {
    this.#list = undefined;
    this.element.append(element);
  }

  /** Whether the end is in view; a person who has scrolled up to read is not moved. */
  #isNearEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < 60;
  }
}

function bubble(text: string, who: string): HTMLElement {
  return h("p", { class: "bubble", dir: "auto" }, h("span", { class: "unseen" }, `${who}: `), text);
}

function shortUrl(url: string): string {
  try {
    const { origin, pathname, search } = new URL(url, location.href);
    return (origin === location.origin ? "" : origin) + pathname + search;
  } catch {
    return url;
  }
}
