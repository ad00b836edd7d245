/** The panel: a person enters goals, follows the agent's steps and answers its requests. */
import { describeThrown, isWebagentError } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { Progress } from "../boot/downloads.ts";
import type { Answer, PanelAgent, TranscriptForm } from "../run/person.ts";
import type { AgentEvent, PersonRequest } from "../run/run_events.ts";
import { RecentRuns, runIsKept, tabStorage } from "../run/tab_storage.ts";
import { button, h, iconButton, picture } from "../ui/elements.ts";
import { Composer } from "./composer.ts";
import { Conversation, failureText } from "./conversation.ts";
import { ConversationStore, download, savePanelState, transcriptOf, type PanelState } from "./conversation_store.ts";
import { currentTexts, type Texts } from "./panel_texts.ts";
import type { PersonRequests } from "./person_requests.ts";
import { ShadowHost } from "./shadow_host.ts";
import { markedWords } from "./text_view.ts";
import { UsageMeter } from "./usage_meter.ts";

/** Interval of the check whether a kept run is resumed on this page. */
const POLL_MS = 1000;

/** The exports of `requests.js`. */
interface RequestScript {
  PersonRequests: typeof PersonRequests;
}

/** Screens on which the panel covers the page (`panel_styles.ts`). */
const NARROW = matchMedia("(max-width: 560px)");

export class Panel {
  #agent: PanelAgent;
  #texts = currentTexts();
  #store = new ConversationStore();
  #host = new ShadowHost((event) => this.#onKey(event));
  #conversation = new Conversation(this.#texts, (runId, name) => this.#agent.file(runId, name), {
    again: (goal) => void this.#start(goal),
    otherwise: (goal) => {
      this.#composer.draft = goal;
      this.#composer.focus();
    },
    myself: () => this.minimise(),
  });
  #meter = new UsageMeter(this.#texts);
  /** Undefined until the first run. */
  #requests: PersonRequests | undefined;
  #loading: Promise<PersonRequests> | undefined;
  /** How often all requests were withdrawn. */
  #withdrawals = 0;
  #requestPlace = h("div", { class: "requests" });
  #composer = new Composer(this.#texts, {
    start: (goal) => void this.#start(goal),
    stop: () => void this.#stop(),
    pause: () => void this.#pause(),
    draft: (text) => {
      this.#store.draft = text;
      this.#store.later();
    },
  });
  #shown: PanelState = "closed";
  #running = false;
  /** The person has taken over. */
  #paused = false;
  /** Looks whether the run of the previous page is still kept, until the agent reports one. */
  #waiting: ReturnType<typeof setInterval> | undefined;
  #abort: AbortController | undefined;
  #request: PersonRequest | undefined;
  /** Progress of the agent's download, as text. */
  #loaded = "";
  #panel: HTMLElement;
  #pill: HTMLButtonElement;
  #pillText = h("span");
  #foot = h("div", { class: "foot" });
  #status = h("p", { class: "unseen", role: "status" });
  #close: HTMLButtonElement;
  #fresh: HTMLButtonElement;
  #details: HTMLElement;
  #allowed: AllowedList;

  constructor(agent: PanelAgent) {
    this.#agent = agent;
    const texts = this.#texts;
    this.#allowed = new AllowedList(agent, texts);
    this.#close = iconButton("close", texts.close, () => this.close());
    this.#fresh = iconButton("plus", texts.new_goal, () => this.#startOver());
    this.#details = h(
      "section",
      { class: "details", hidden: true, tabindex: "0", "aria-label": texts.details },
      this.#meter.details,
      this.#allowed.element,
      h(
        "p",
        { class: "save" },
        h("span", { class: "quiet" }, `${texts.save_transcript}:`),
        button("link", texts.as_markdown, () => void this.#save("markdown")),
        button("link", texts.as_json, () => void this.#save("json")),
      ),
    );
    const unfold = button("link", texts.details, () => {
      this.#details.hidden = !this.#details.hidden;
      unfold.setAttribute("aria-expanded", String(!this.#details.hidden));
      if (!this.#details.hidden) void this.#allowed.refresh();
      // The details take room from the conversation, whose end must stay in view.
      this.#conversation.scrollToEnd();
    });
    unfold.setAttribute("aria-expanded", "false");
    this.#foot.append(this.#meter.line, unfold);
    this.#panel = h(
      "div",
      { class: "panel", role: "dialog", "aria-labelledby": "title" },
      h(
        "div",
        { class: "head" },
        picture("star"),
        h("h2", { id: "title" }, texts.title),
        this.#fresh,
        iconButton("minimise", texts.minimise, () => this.minimise()),
        this.#close,
      ),
      this.#conversation.element,
      this.#details,
      this.#requestPlace,
      h("div", { class: "tail" }, this.#composer.element, this.#foot),
    );
    this.#pill = h("button", { class: "pill", type: "button" }, this.#pillText);
    this.#pill.addEventListener("click", () => this.open());
    this.#host.content.append(this.#panel, this.#pill, this.#status);
    this.#restore();
    this.#listen();
  }

  /** Show the panel; it takes the focus, except when it is restored on a new page. */
  open(focus = true): void {
    this.#show("open");
    this.#conversation.scrollToEnd();
    if (!focus) return;
    this.#host.keepFocus();
    if (this.#request) this.#requests?.focus();
    else this.#composer.focus();
  }

  /** Shrink it to a badge; a run continues. */
  minimise(): void {
    const had = this.#host.hasFocus;
    this.#show("minimised");
    if (had) this.#host.leaveFocus();
  }

  /** Close it; a run is stopped. */
  close(): void {
    if (this.#running) void this.#stop();
    const had = this.#host.hasFocus;
    this.#show("closed");
    if (had) this.#host.leaveFocus();
  }

  /** Ask the person; shows the panel if it is closed. */
  async ask(request: PersonRequest): Promise<Answer> {
    if (this.#shown === "closed") this.open();
    const withdrawals = this.#withdrawals;
    const requests = await this.#loadRequests();
    // The run may have ended meanwhile.
    return withdrawals === this.#withdrawals ? requests.ask(request) : { yes: false };
  }

  #loadRequests(): Promise<PersonRequests> {
    const base = new URL("./", import.meta.url).href;
    this.#loading ??= loadChunk<RequestScript>(base, "requests").then((script) => {
      this.#requests = new script.PersonRequests(this.#texts, (shown) => this.#onRequest(shown), true);
      this.#requestPlace.replaceWith(this.#requests.element);
      return this.#requests;
    });
    // The next request tries again.
    this.#loading.catch(() => (this.#loading = undefined));
    return this.#loading;
  }

  #withdraw(): void {
    this.#withdrawals += 1;
    this.#requests?.withdraw();
  }

  #show(shown: PanelState): void {
    this.#shown = shown;
    this.#host.show(shown);
    this.#panel.hidden = shown !== "open";
    this.#pill.hidden = shown !== "minimised";
    savePanelState(shown);
    this.#update();
  }

  #listen(): void {
    this.#agent.addEventListener("agent", (event) => this.#onEvent((event as CustomEvent<AgentEvent>).detail));
    this.#agent.addEventListener("progress", (event) => {
      const { phase, loaded, total } = (event as CustomEvent<Progress>).detail;
      this.#loaded = phase === "download" ? `${Math.floor((100 * loaded) / total)} %` : "";
      this.#update();
    });
    addEventListener("pagehide", () => this.#store.save());
    addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      // The page was in the back/forward cache; the tab's storage is newer.
      this.#withdraw();
      this.#store.load();
      this.#restore();
      this.#update();
    });
    void this.#agent
      .whenAsked((request) => this.ask(request))
      .then((events) => this.#catchUp(events as AgentEvent[]));
  }

  /** Show the events of a run that began before the panel was loaded. */
  #catchUp(events: AgentEvent[]): void {
    const id = events[0]?.run_id;
    // The run that the agent reports is here, whatever the tab's storage has of it by now.
    if (id !== undefined) this.#endWait();
    const known = this.#store.events.some(({ type, run_id }) => type === "started" && run_id === id);
    if (id === undefined || known) return;
    const others = this.#store.events.filter(({ run_id }) => run_id !== id);
    this.#store.events = [...others, ...events];
    this.#replay();
    this.#update();
  }

  #onEvent(event: AgentEvent): void {
    this.#endWait();
    this.#store.add(event);
    this.#take(event);
    this.#update();
  }

  #take(event: AgentEvent): void {
    if (event.type === "started") {
      this.#running = true;
      // The first request will come soon.
      this.#loadRequests().catch(() => {});
      if (!event.resumed) this.#meter.reset();
    }
    this.#meter.add(event);
    this.#conversation.show(event);
    if (event.type === "paused") this.#takeOver();
    if (event.type === "continued" || event.type === "finished") this.#paused = false;
    if (event.type === "answered" && !this.#details.hidden) void this.#allowed.refresh();
    if (event.type !== "finished") return;
    this.#running = false;
    this.#conversation.doing = "";
    this.#withdraw();
    this.#announce(event.ok || !event.error ? event.text || this.#texts.finished : failureText(event.text, event.error, this.#texts));
  }

  /** Show the stored conversation of this tab. */
  #replay(): void {
    this.#conversation.clear();
    this.#meter.reset();
    this.#running = this.#paused = false;
    for (const event of this.#store.events) this.#take(event);
    this.#composer.draft = this.#store.draft;
  }

  /** Show the conversation of the previous page, whose run may go on here. */
  #restore(): void {
    this.#endWait();
    this.#replay();
    if (this.#running) this.#expectMore();
  }

  #endWait(): void {
    clearInterval(this.#waiting);
    this.#waiting = undefined;
  }

  /** Wait until the run of the previous page is resumed here, or turns out to be lost. */
  #expectMore(): void {
    this.#waiting = setInterval(() => {
      if (runIsKept()) return;
      this.#onEvent({
        run_id: "",
        type: "finished",
        ok: false,
        text: this.#texts.interrupted,
      });
    }, POLL_MS);
  }

  async #start(goal: string): Promise<void> {
    this.#store.draft = "";
    this.#running = true;
    this.#composer.draft = "";
    this.#abort = new AbortController();
    this.#update();
    this.#composer.focus();
    try {
      await this.#agent.run(goal, { signal: this.#abort.signal });
    } catch (thrown) {
      // The run goes on in the next page, and so does its conversation.
      if (isWebagentError(thrown) && thrown.kind === "navigated") return;
      const { not_started } = this.#texts;
      this.#conversation.failed(not_started, { kind: "internal", message: describeThrown(thrown) }, goal);
      this.#announce(not_started);
      if (!this.#store.running) this.#composer.draft = goal;
    } finally {
      this.#running = this.#store.running;
      this.#abort = undefined;
      this.#update();
      if (this.#shown === "open" && this.#host.hasFocus) this.#composer.focus();
    }
  }

  async #stop(): Promise<void> {
    this.#abort?.abort();
    this.#withdraw();
    await this.#agent.stop();
  }

  /** Let the person take over, or the run go on. */
  async #pause(): Promise<void> {
    const runs = await this.#agent.runs();
    if (this.#paused) runs.unpause();
    else runs.pause();
  }

  /** Show that it is the person's turn; a panel that covers the page makes room. */
  #takeOver(): void {
    // The next page says it again.
    if (!this.#paused && this.#shown === "open" && NARROW.matches) this.minimise();
    this.#paused = true;
  }

  /** Begin a new conversation. */
  #startOver(): void {
    this.#store.clear();
    // From here on "it" does not mean anything earlier.
    new RecentRuns(tabStorage()).save("");
    this.#conversation.clear();
    this.#meter.reset();
    this.#update();
    this.#composer.focus();
  }

  async #save(form: TranscriptForm): Promise<void> {
    const text = await this.#agent.transcript(form).catch(() => "");
    download(text || transcriptOf(this.#store.events, form), form);
  }

  #onRequest(shown: PersonRequest | undefined): void {
    const had = this.#host.hasFocus;
    this.#request = shown;
    this.#update();
    this.#conversation.scrollToEnd();
    if (this.#shown !== "open") return;
    if (shown) {
      this.#announce(`${this.#texts.waiting}: ${shown.text}`);
      // A person who is typing in a field of the page keeps the focus there.
      if (had || !this.#host.pageIsBeingWritten) {
        this.#host.keepFocus();
        this.#requests?.focus();
      }
    } else if (had || this.#host.lostFocus) {
      this.#host.giveFocusBack();
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing || this.#shown !== "open") return;
    event.preventDefault();
    this.minimise();
  }

  /** Announce a text to screen readers. */
  #announce(text: string): void {
    this.#status.textContent = text;
  }

  /** The agent's current activity, in words. */
  #doing(): string {
    const { waiting, working, starting, paused } = this.#texts;
    if (this.#request) return waiting;
    if (this.#paused) return paused;
    if (this.#conversation.doing) return this.#conversation.doing;
    return this.#store.running ? working : `${starting} ${this.#loaded}`.trim();
  }

  #update(): void {
    this.#host.settle();
    const texts = this.#texts;
    const talking = this.#running || this.#store.events.length > 0;
    const doing = this.#doing();
    this.#panel.classList.toggle("talking", talking);
    this.#fresh.hidden = this.#running || !talking;
    // Until the run has come to this page, there is nothing to pause.
    const starting = this.#waiting !== undefined || !this.#store.running;
    const under = starting ? "starting" : this.#paused ? "paused" : "running";
    this.#composer.show(this.#request ? "asking" : this.#running ? under : "ready", doing);
    // A request needs the room of the tail.
    this.#foot.hidden = this.#request !== undefined;
    const label = this.#running ? texts.close_running : texts.close;
    this.#close.setAttribute("aria-label", label);
    this.#close.title = label;
    this.#pill.classList.toggle("asking", this.#request !== undefined);
    this.#pillText.textContent = this.#running ? doing : texts.title;
    const icon = this.#request ? "ask" : this.#running && !this.#paused ? "started" : "star";
    this.#pill.replaceChildren(picture(icon), this.#pillText);
  }
}

/** The list of the permissions that the visitor gave for the session. */
class AllowedList {
  readonly element: HTMLElement;
  #agent: PanelAgent;
  #texts: Texts;
  #list = h("ul", { class: "allowed" });

  constructor(agent: PanelAgent, texts: Texts) {
    this.#agent = agent;
    this.#texts = texts;
    this.element = h("section", {}, h("h4", {}, texts.allowed_title), this.#list);
  }

  /** Show what is allowed now. */
  async refresh(): Promise<void> {
    const texts = this.#texts;
    const grants = await this.#agent.allowed();
    const rows = grants.map(({ key, text }) =>
      h("li", {}, h("span", { dir: "auto" }, ...markedWords(text, texts)), button("link", texts.take_back, () => void this.#takeBack(key))),
    );
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [h("li", { class: "quiet" }, texts.allowed_nothing)]));
  }

  async #takeBack(key: string): Promise<void> {
    await this.#agent.revoke(key);
    await this.refresh();
  }
}
