/** The conversation: goals, plans, steps, texts and outcomes, in order. */
import type { AgentEvent, ErrorDetails, PersonRequest, PlanData, StepEvent } from "../run/run_events.ts";
import { button, h, picture, words } from "../ui/elements.ts";
import { fill, type Texts } from "./panel_texts.ts";
import { isShown, StepItem, stepTitle, type FindFile } from "./step_item.ts";

/** The ways on after a run that has failed. */
interface AfterFailure {
  /** Try the same goal again. */
  again(goal: string): void;
  /** Write the goal in other words. */
  otherwise(goal: string): void;
  /** Do it on the page. */
  myself(): void;
}

/** By the kind of an error the end of the key of its text; other kinds are faults of our own. */
const FAULTS: Record<string, string> = {
  unknown_tool: "missing",
  missing_function: "missing",
  page_gone: "left",
  navigated: "left",
  origin_mismatch: "moved",
  not_logged_in: "login",
  denied: "denied",
  rate_limited: "often",
  timeout: "slow",
  cancelled: "stuck",
  threw: "site",
  too_large: "site",
  not_cloneable: "site",
};

/** The failure in words for people: the agent's own, unless they are the error, which developers read. */
export function failureText(text: string, { kind, message }: ErrorDetails, texts: Texts): string {
  if (text && (kind === "not_reached" || text !== message)) return text;
  return texts[`fault_${FAULTS[kind] ?? "own"}` as keyof Texts];
}

/** A tool's name as words, where the site gives it no title: `addToBasket` is `Add to basket`. */
function inWords(name: string): string {
  const spaced = name.replace(/(\p{Ll}|\d)(?=\p{Lu})|[_-]+/gu, "$1 ").trim();
  return spaced === name ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

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
  /** The agent's last text. */
  #lastWords: HTMLElement | undefined;
  /** The person's last answer was a no, and no step has followed. */
  #refused = false;

  #file: FindFile;
  #after: AfterFailure | undefined;
  #lastGoal = "";
  #paused = false;

  /**
   * @param file Finds the pictures of steps; without it they are only named.
   * @param after Offered when a run has failed.
   */
  constructor(texts: Texts, file: FindFile = async () => null, after?: AfterFailure) {
    this.#texts = texts;
    this.#file = file;
    this.#after = after;
    this.element = h("div", {
      class: "log",
      role: "log",
      tabindex: "0",
      "aria-label": texts.conversation,
      // A status line announces what matters; reading out everything would be too much.
      "aria-live": "off",
    });
    this.clear();
  }

  /** Remove everything. */
  clear(): void {
    const texts = this.#texts;
    this.#runs.clear();
    this.#steps.clear();
    this.#requests.clear();
    this.#list = this.#coming = this.#lastWords = undefined;
    this.#refused = false;
    this.element.replaceChildren(
      h(
        "div",
        { class: "greeting" },
        h("p", {}, texts.greeting),
        h("p", { class: "quiet" }, texts.greeting_more),
      ),
    );
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

  /** Add a note that is not an event of a run. */
  note(text: string, className = "note"): void {
    this.#add(h("p", { class: className, dir: "auto" }, ...words(text)));
    this.scrollToEnd();
  }

  #take(event: AgentEvent): void {
    const texts = this.#texts;
    switch (event.type) {
      case "started":
        this.#refused = false;
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
        this.note(fill(texts.retrying, { seconds: String(event.wait_s) }));
        break;
      case "switched":
        this.#dropComing();
        this.note(texts.switched);
        break;
      case "paused":
      case "continued":
        // The next page says again that the run is paused.
        if (this.#paused !== (event.type === "paused")) this.note(event.type === "paused" ? texts.took_over : texts.went_on, "note answer");
        this.#paused = event.type === "paused";
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
    this.element.querySelector(".outcome .row")?.remove();
    this.#lastGoal = goal;
    this.#paused = false;
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
    const { tool, title, schema } = request.details as { tool?: string; title?: string; schema?: { title?: string } };
    const what = title && title !== tool ? title : tool ? inWords(tool) : request.text;
    switch (request.kind) {
      case "question": {
        this.#add(h("p", { class: "words", dir: "auto" }, ...words(schema?.title ?? request.text)));
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
    if (!ok && !ended && error) {
      this.failed(failureText(text, error, texts), error, this.#lastGoal);
      return;
    }
    const without = ok ? texts.finished : stopped ? texts.stopped : ended ? texts.not_done : texts.not_finished;
    this.#add(
      h(
        "section",
        { class: ok ? "outcome" : ended ? "outcome ended" : "outcome bad" },
        picture(ok ? "done" : ended ? "cancelled" : "failed"),
        // Of a run that the person has ended, the error says it to developers.
        h("div", {}, h("p", { dir: "auto" }, ...words((text !== error?.message && text) || without))),
      ),
    );
  }

  /**
   * Show that a goal was not reached, and what the person can do now.
   *
   * @param text Why, in words for people; the error itself is folded.
   */
  failed(text: string, error: ErrorDetails, goal: string): void {
    const texts = this.#texts;
    const after = this.#after;
    const told = [error.message, error.help].filter((line) => line && line !== text);
    // A goal with a masked secret cannot be sent again as it is.
    const whole = !goal.includes("•••");
    const row =
      after &&
      h(
        "div",
        { class: "row" },
        whole && button("", texts.try_again, () => {
          row?.remove();
          after.again(goal);
        }),
        button("", texts.do_it_myself, () => after.myself()),
        button("", texts.ask_otherwise, () => after.otherwise(goal)),
      );
    this.#add(
      h(
        "section",
        { class: "outcome bad" },
        picture("failed"),
        h(
          "div",
          {},
          h("p", { dir: "auto" }, ...words(text)),
          told.length > 0 &&
            h("details", {}, h("summary", {}, texts.error), ...told.map((line) => h("p", { class: "quiet", dir: "auto" }, ...words(line ?? "")))),
          row,
        ),
      ),
    );
    this.scrollToEnd();
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
