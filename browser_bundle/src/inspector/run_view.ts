/** Gives a goal to the agent of a page, shows its steps, and answers its requests. */
import type { Result } from "../base/results.ts";
import { currentTranslation } from "../panel/panel_texts.ts";
import { PersonRequests } from "../panel/person_requests.ts";
import { toPython } from "../run/person.ts";
import type { AgentEvent, PersonRequest } from "../run/run_events.ts";
import { brief } from "../ui/display_text.ts";
import { button, h, onSubmit, submitOnEnter, words } from "../ui/elements.ts";
import { download, keep, kept } from "../ui/widgets.ts";
import { ApiError } from "./api_client.ts";
import { failureNotice } from "./result_view.ts";
import { RunConversation } from "./run_conversation.ts";
import type { Session } from "./session.ts";
import { noPage } from "./shell.ts";

interface Question {
  question: string;
  request: PersonRequest;
}

export class RunView {
  readonly element = h("div", { class: "run" });
  #session: Session;
  #conversation: RunConversation;
  #requests: PersonRequests;
  #goal = h("textarea", { id: "goal", rows: "2", dir: "auto", autocomplete: "off", placeholder: "Find …, add …, show …" });
  #start = h("button", { type: "submit", class: "primary" }, "Start");
  #stop = button("", "Stop", () => this.#running?.abort());
  #save = button("", "Save as a test", () => void this.#saveTest());
  #about = h("p", { class: "quiet" });
  #status = h("p", { class: "quiet", role: "status" });
  #trouble = h("div");
  #running: AbortController | undefined;
  #run = "";
  #events: AgentEvent[] = [];
  #path = "";
  #request: PersonRequest | undefined;

  /** @param asks Called with whether a request waits for a person. */
  constructor(session: Session, asks: (asks: boolean) => void) {
    this.#session = session;
    this.#requests = new PersonRequests(currentTranslation(), (shown) => {
      this.#request = shown;
      this.#update();
      asks(shown !== undefined);
      // A person who looks at another view keeps the focus.
      if (!shown || !this.element.isConnected) return;
      this.#requests.focus();
      // Its buttons have to be in sight before one is pressed, as they count only where they rest.
      this.#requests.element.scrollIntoView({ block: "nearest" });
    });
    this.#conversation = new RunConversation(this.#requests.element);
    const form = h(
      "form",
      { class: "goal" },
      h("label", { for: "goal" }, "Goal"),
      this.#goal,
      h("div", { class: "row" }, this.#start, this.#stop, this.#save, this.#status),
      this.#about,
    );
    this.#goal.value = kept("goal", "");
    this.#goal.addEventListener("input", () => keep("goal", this.#goal.value));
    onSubmit(form, () => {
      const goal = this.#goal.value.trim();
      if (goal) void this.#work(goal);
      else this.#goal.focus();
    });
    submitOnEnter(this.#goal, form);
    this.element.append(h("h2", { class: "unseen" }, "A run of the agent"), form, this.#conversation.element, this.#trouble);
    session.on("page", () => this.#update());
    session.on("pages", () => this.#update());
    session.on("connection", () => this.#update());
    this.#update();
  }

  arrive(): void {
    this.#update();
  }

  async #work(goal: string): Promise<void> {
    const { page } = this.#session;
    if (!page || this.#running) return;
    const running = (this.#running = new AbortController());
    this.#run = "";
    this.#events = [];
    const { pathname } = new URL(page.url);
    this.#path = pathname === "/" ? "" : pathname;
    this.#conversation.clear();
    this.#trouble.replaceChildren();
    this.#update();
    this.#stop.focus({ preventScroll: true });
    let ended = false;
    try {
      const body = { goal, caller: "inspector" };
      const options = { body, signal: running.signal };
      await this.#session.api.stream(`pages/${encodeURIComponent(page.page_id)}/run`, ({ name, data }) => {
        ended ||= name === "result";
        this.#onEvent(name, JSON.parse(data) as unknown);
      }, options);
      if (!ended) throw new ApiError(0, "no_server", "the server went away - the run may go on in its page - look at the timeline");
    } catch (thrown) {
      this.#trouble.replaceChildren(running.signal.aborted ? h("p", { class: "quiet" }, "Stopped.") : failureNotice(thrown));
    } finally {
      this.#requests.withdraw();
      this.#running = undefined;
      const had = document.activeElement === this.#stop || document.activeElement === document.body;
      this.#update();
      if (had) this.#goal.focus({ preventScroll: true });
    }
  }

  #onEvent(name: string, data: unknown): void {
    switch (name) {
      case "run":
        this.#run = (data as { run: string }).run;
        break;
      case "agent":
        this.#events.push(data as AgentEvent);
        this.#conversation.add(data as AgentEvent);
        break;
      case "question":
        void this.#ask(data as Question);
        break;
      case "result": {
        const result = data as Result;
        // The conversation shows how a run ended, but not that a run could not start.
        if (!result.ok) this.#trouble.replaceChildren(failureNotice(new ApiError(0, result.error.kind, result.error.message, result.error.help)));
      }
    }
    this.#update();
  }

  async #ask({ question, request }: Question): Promise<void> {
    const run = this.#run;
    const answer = await this.#requests.ask(request);
    if (!this.#running || run !== this.#run) return;
    try {
      const body = { question, ...(await toPython(answer)) };
      await this.#session.api.post(`runs/${encodeURIComponent(run)}/answer`, body);
    } catch (thrown) {
      this.#trouble.replaceChildren(failureNotice(thrown));
    }
  }

  /** Download the last run as a pytest test, and as a case of an evaluation. */
  async #saveTest(): Promise<void> {
    try {
      const body = { events: this.#events, path: this.#path };
      const made = await this.#session.api.post<{ name: string; test: string; case: string }>("tests", body);
      this.#trouble.replaceChildren();
      download(`test_${made.name}.py`, "text/x-python", made.test);
      download(`${made.name}.json`, "application/json", made.case);
    } catch (thrown) {
      this.#trouble.replaceChildren(failureNotice(thrown));
    }
  }

  #update(): void {
    const { page, server } = this.#session;
    const running = this.#running !== undefined;
    this.#start.hidden = running;
    this.#stop.hidden = !running;
    this.#save.hidden = running || !this.#events.some((event) => event.type === "finished" && event.ok);
    this.#goal.disabled = running;
    this.#start.disabled = !page;
    const doing = this.#request ? `It asks: ${this.#request.text.replaceAll("`", "")}` : this.#conversation.doing || "Working …";
    this.#status.textContent = running ? brief(doing, 300) : "";
    if (running) return;
    if (!page) {
      this.#about.replaceChildren(noPage(this.#session));
      return;
    }
    const model = server?.llm ? `The page’s model decides: \`${server.llm.model}\`.` : "There is no model: the agent plans by the words of the goal.";
    this.#about.replaceChildren(...(words(`It works in the page \`${brief(page.title || page.url, 80)}\`, and asks here before it changes anything. ${model}`) as Node[]));
  }
}
