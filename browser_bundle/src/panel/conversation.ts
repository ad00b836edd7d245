/** The conversation: goals, plans, steps, texts and outcomes, in order. */
import type { AgentEvent, ErrorDetails, FinishedEvent, KnownCall, PersonRequest, PlanData, StepEvent } from "../run/run_events.ts";
import { button, h, picture, words } from "../ui/elements.ts";
import type { AnswerActs, Answers } from "./answers.ts";
import { fill, type Texts } from "./panel_texts.ts";
import { inWords, isShown, StepItem, stepTitle, type UseAnswers } from "./step_item.ts";

/** The part of the page that a conversation uses. */
interface ConversationActs extends AnswerActs {
  /** Load `answers.js`. */
  answers(): Promise<{ Answers: typeof Answers }>;
  /** After a failure: try the same goal, or the call that is the run, again, perhaps without the model. */
  again?(goal: string, withoutModel: boolean, call?: KnownCall): void;
  /** After a failure: write the goal in other words. */
  otherwise?(goal: string): void;
}

/** A text of the agent, and the element that shows it. */
interface Said {
  element: HTMLElement;
  text: string;
}

/** The note that it is the visitor's turn to send a form. */
const TURN = "note turn";

/** By the kind of an error the end of the key of its text; other kinds are faults of our own. */
const FAULTS: Record<string, string> = {
  unknown_tool: "missing",
  missing_function: "missing",
  page_gone: "left",
  runtime_lost: "lost",
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
  return texts[`fault_${FAULTS[kind] ?? "own"}` as "fault_own"];
}

export class Conversation {
  readonly element: HTMLElement;
  /** The current step, in words. */
  doing = "";
  /** The current step waits for the person, who sends a form of the page. */
  attended = false;
  #texts: Texts;
  /** The runs whose goals are shown. */
  #runs = new Set<string>();
  #steps = new Map<string, StepItem>();
  #requests = new Map<string, PersonRequest>();
  /** The list that takes the next step; undefined after anything but a step. */
  #list: HTMLOListElement | undefined;
  /** A text that is still streaming. */
  #coming: Said | undefined;
  /** A goal that was sent, and whose run has not begun. */
  #sent: HTMLElement | undefined;
  /** The agent's last text. */
  #lastWords: Said | undefined;
  /** The person's last answer was a no, and no step has followed. */
  #refused = false;
  /** Whether the end stays in view, and the last place that was scrolled to. */
  #follows = true;
  #scrolled = 0;
  /** Whether the run has no model. */
  #isPlanned = false;
  #acts: ConversationActs;
  #answers: Answers | undefined;
  #loading: Promise<Answers> | undefined;
  #lastGoal = "";
  #lastCall: KnownCall | undefined;
  #paused = false;

  constructor(texts: Texts, acts: ConversationActs) {
    this.#texts = texts;
    this.#acts = acts;
    this.element = h("div", {
      class: "log",
      role: "log",
      tabindex: "0",
      "aria-label": texts.conversation,
      // A status line announces what matters; reading out everything would be too much.
      "aria-live": "off",
    });
    for (const type of ["scroll", "click", "toggle"]) {
      this.element.addEventListener(type, () => this.#look(type === "scroll"), type === "toggle");
    }
    // The parts below it take and give room.
    new ResizeObserver(() => this.#follows && this.scrollToEnd()).observe(this.element);
  }

  /** Remove everything, and begin with a greeting. */
  clear(...greeting: HTMLElement[]): void {
    this.#runs.clear();
    this.#steps.clear();
    this.#requests.clear();
    this.#list = this.#coming = this.#lastWords = this.#sent = undefined;
    this.#refused = false;
    this.#lastGoal = "";
    this.element.replaceChildren(...greeting);
  }

  /**
   * Show a goal whose run is about to begin.
   *
   * @param call The only call of the run.
   */
  send(goal: string, call?: KnownCall): void {
    this.#goal(goal, call);
    this.#sent = this.element.lastElementChild as HTMLElement;
    this.scrollToEnd();
  }

  /** Remove it: its run has begun, or has failed to. */
  unsend(): void {
    this.#sent?.remove();
    this.#sent = undefined;
  }

  /**
   * Show an event.
   *
   * @param live Whether it happens now, on this page.
   */
  show(event: AgentEvent, live = false): void {
    if (event.type === "started") this.#follows = true;
    this.#grow(() => this.#take(event, live));
  }

  /** Make a change that makes the conversation longer; its end stays in view. */
  #grow = (act: () => void): void => {
    act();
    if (this.#follows) this.scrollToEnd();
  };

  /** Do something with `answers.js`, at once if it is there. */
  #use: UseAnswers = (act) => {
    if (this.#answers) return act(this.#answers);
    this.#loading ??= this.#acts.answers().then((script) => {
      return (this.#answers = new script.Answers(this.element, this.#texts, this.#acts, this.#grow));
    });
    this.#loading.then(act).catch((thrown: unknown) => {
      // The next answer tries again.
      this.#loading = undefined;
      console.error("webagent: answers stay plain:", thrown);
    });
  };

  /** Scroll to the newest entry; to the beginning of an outcome that is higher than the conversation. */
  scrollToEnd(): void {
    const { element } = this;
    const newest = element.querySelector<HTMLElement>(":scope > .outcome:last-child");
    const end = element.scrollHeight - element.clientHeight;
    element.scrollTop = newest ? Math.min(newest.offsetTop - element.offsetTop - 8, end) : end;
    // Up to the beginning of an outcome is not a person's way up.
    this.#scrolled = element.scrollTop;
  }

  /** Add a note that is not an event of a run. */
  note(text: string, className = "note"): void {
    this.#add(h("p", { class: className, dir: "auto" }, ...words(text)));
    this.scrollToEnd();
  }

  #take(event: AgentEvent, live: boolean): void {
    const texts = this.#texts;
    // Only the last wait counts, until it is over.
    this.element.querySelector(".retrying")?.remove();
    switch (event.type) {
      case "started":
        this.#refused = false;
        // The run has the goal without its secrets.
        this.unsend();
        this.#isPlanned = event.model === null;
        if (!this.#runs.has(event.run_id)) this.#goal(event.goal, event.call);
        this.#runs.add(event.run_id);
        break;
      case "planned":
        this.#plan(event.plan, event.revised);
        break;
      case "rejected":
        if (event.by !== "person" && event.reason) this.note(event.reason);
        break;
      case "step":
        this.#step(event, live);
        break;
      case "text":
        this.#words(event.text, event.final);
        break;
      case "retrying":
        this.#dropComing();
        this.note(fill(texts.retrying, { seconds: String(event.wait_s) }), "note retrying");
        break;
      case "switched":
        this.#dropComing();
        this.#isPlanned = event.model === null;
        this.note(event.text || texts.switched);
        break;
      case "paused":
      case "continued":
        // The next page says again that the run is paused.
        if (this.#paused !== (event.type === "paused")) this.note(event.type === "paused" ? texts.took_over : texts.went_on, "note answer");
        this.#paused = event.type === "paused";
        break;
      case "asked":
        this.#requests.set(event.id, event.request);
        // The form is not filled in before it is allowed.
        this.element.querySelector(".turn:last-child")?.remove();
        // Without a model, the words before a question say the same once more.
        if (this.#isPlanned && event.request.kind === "question") this.#lastWords?.element.remove();
        break;
      case "answered":
        this.#answered(event);
        break;
      case "navigating":
        // The next page knows what it is called.
        if (!live) this.note(fill(texts.went_to, { page: event.title || shortUrl(event.url) }), "note went");
        break;
      case "finished":
        this.#finished(event);
        break;
    }
  }

  /** Remove the words of a reply that did not come to its end. */
  #dropComing(): void {
    this.#coming?.element.remove();
    this.#coming = undefined;
  }

  #goal(goal: string, call?: KnownCall): void {
    this.element.querySelector(".greeting")?.remove();
    for (const each of this.element.querySelectorAll(".outcome .row, .outcome .rate")) each.remove();
    this.#lastGoal = goal;
    this.#lastCall = call;
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

  #step(event: StepEvent, live: boolean): void {
    if (isShown(event) && (event.state === "started" || event.state === "finished")) this.#refused = false;
    // A step that the person refused is not an error; the answer is shown already.
    if (this.#refused && event.state === "failed") {
      const { error: _, ...rest } = event;
      event = { ...rest, state: "cancelled" };
    }
    if (event.state === "started" && isShown(event)) {
      this.attended = event.attended === true;
      this.doing = this.attended ? this.#texts.paused : stepTitle(event, this.#texts).replaceAll("`", "");
    } else this.attended = false;
    if (live && event.element) this.#use((answers) => void answers.touch(event));
    const known = this.#steps.get(event.id);
    if (known) {
      known.show(event, live);
      return;
    }
    if (!isShown(event)) return;
    // A text that comes with a call becomes its title and is shown once.
    if (event.why && event.why === this.#lastWords?.text) this.#lastWords.element.remove();
    const step = new StepItem(event, this.#texts, this.#use);
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
    if (this.attended) this.note(this.#texts.attended, TURN);
  }

  #words(text: string, final: boolean): void {
    if (!this.#coming) {
      if (!text) return;
      const element = h("div", { class: "text words", dir: "auto" });
      this.#coming = { element, text: "" };
      this.#add(element);
    }
    const said = this.#coming;
    said.text = final ? text : said.text + text;
    if (!this.#answers) said.element.textContent = said.text;
    this.#use((answers) => answers.text(said.element, said.text, final));
    if (!final) return;
    this.#lastWords = said;
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
        const answers = approval ? [texts.allowed, texts.refused] : [texts.said_yes, texts.said_no];
        const said = fill(answers[yes ? 0 : 1] ?? "", { what });
        const note = !yes && text ? `${said} – ${text}` : said;
        const step = this.#list?.lastElementChild;
        // The step that was asked for began before the question.
        if (approval && step) step.before(h("li", { class: "note answer", dir: "auto" }, ...words(note)));
        else this.note(note, "note answer");
        if (yes && this.attended) this.note(texts.attended, TURN);
      }
    }
  }

  #finished(event: FinishedEvent): void {
    const texts = this.#texts;
    const { ok, text, error } = event;
    this.#coming = undefined;
    this.#answers?.end();
    // The agent's last text is often the outcome and is shown once.
    if (text && text === this.#lastWords?.text) this.#lastWords.element.remove();
    for (const step of this.#steps.values()) step.end();
    // A run that was stopped has no last text; one that gives up has a reason.
    const stopped = error?.kind === "cancelled" && !text;
    const ended = !ok && (stopped || this.#refused);
    if (!ok && !ended && error) {
      const failure = failureText(text, error, texts);
      const said = this.failed(failure, error, event.without_model);
      if (failure === text) this.#use((answers) => answers.text(said, text, true));
      return;
    }
    const without = ok ? texts.finished : stopped ? texts.stopped : ended ? texts.not_done : texts.not_finished;
    // Of a run that the person has ended, the error says it to developers.
    const said = h("div", { class: "text", dir: "auto" }, ...words((text !== error?.message && text) || without));
    this.#add(
      h(
        "section",
        { class: ok ? "outcome" : ended ? "outcome ended" : "outcome bad" },
        picture(ok ? "done" : ended ? "cancelled" : "failed"),
        h("div", {}, said),
      ),
    );
    if (!text || text === error?.message) return;
    // Things that were found on the way are no outcome of a run that failed.
    this.#use((answers) => (ok ? answers.outcome(said, event, this.#isPlanned) : answers.text(said, text, true)));
  }

  /**
   * Show that a goal was not reached, and what the person can do now.
   *
   * @param text Why, in words for people; the error itself is folded.
   * @param withoutModel Whether the goal is tried again without the model.
   * @returns The element that shows the text.
   */
  failed(text: string, error: ErrorDetails, withoutModel = false): HTMLElement {
    const texts = this.#texts;
    const { again, minimise, otherwise } = this.#acts;
    const goal = this.#lastGoal;
    const call = this.#lastCall;
    const said = h("div", { class: "text", dir: "auto" }, ...words(text));
    const told = [error.message, error.help].filter((line) => line && line !== text);
    // A goal with a masked secret cannot be sent again as it is, and a planner without a model finds nothing new.
    const whole = goal && !goal.includes("•••") && !(this.#isPlanned && error.kind === "not_reached");
    const row = h(
      "div",
      { class: "row" },
      again && whole && button("", withoutModel ? texts.try_without : texts.try_again, () => {
        row.remove();
        again(goal, withoutModel, call);
      }),
      minimise && button("", texts.do_it_myself, minimise),
      // The words of an undo do not say what is called.
      otherwise && goal && !call && button("", texts.ask_otherwise, () => otherwise(goal)),
    );
    this.#add(
      h(
        "section",
        { class: "outcome bad" },
        picture("failed"),
        h(
          "div",
          {},
          said,
          told.length > 0 &&
            h("details", {}, h("summary", {}, texts.error), ...told.map((line) => h("p", { class: "quiet", dir: "auto" }, ...words(line ?? "")))),
          row,
        ),
      ),
    );
    this.scrollToEnd();
    return said;
  }

  /** Ask below the last outcome whether the run has helped. */
  askWhetherItHelped(rate: (helpful: boolean) => void): void {
    const { helpful, yes, no, thanks } = this.#texts;
    const answer = (text: string, value: boolean) => button("link", text, () => {
      rate(value);
      line.textContent = thanks;
      // The focus would be lost with the button.
      this.element.focus({ preventScroll: true });
    });
    const line = h("p", { class: "quiet rate" }, `${helpful} `, answer(yes, true), " ", answer(no, false));
    this.element.querySelector(":scope > .outcome:last-child > div")?.append(line);
    this.scrollToEnd();
  }

  #add(element: HTMLElement): void {
    this.#list = undefined;
    this.element.append(element);
  }

  /**
   * Look whether the end is in view: a person who has scrolled up or unfolded something is not moved.
   *
   * @param scrolled Whether something has scrolled; unless that was up, the end follows in the same frame.
   */
  #look(scrolled: boolean): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const isNearEnd = scrollHeight - scrollTop - clientHeight < 60;
    this.#follows = isNearEnd || (scrolled && this.#follows && scrollTop >= this.#scrolled);
    this.#scrolled = scrollTop;
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
