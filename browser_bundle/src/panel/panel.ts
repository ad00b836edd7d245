/**
 * `panel.js`: a person enters goals, follows the agent's steps and answers its requests. Loaded when a person opens
 * the panel, if it was open on the previous page, or for an element that the page has for it.
 */
import { describeThrown, isWebagentError } from "../base/errors.ts";
import type { Progress } from "../boot/downloads.ts";
import type { Answer, PanelAgent, TranscriptForm } from "../run/person.ts";
import type { AgentEvent, KnownCall, PersonRequest } from "../run/run_events.ts";
import { RecentRuns, runIsKept, tabStorage } from "../run/tab_storage.ts";
import { button, h, iconButton, picture } from "../ui/elements.ts";
import { visible } from "../ui/text_parts.ts";
import type * as AnswersPart from "./answers.ts";
import { Composer } from "./composer.ts";
import { Conversation, failureText } from "./conversation.ts";
import {
  ConversationStore, download, savedPanelState, savePanelState, transcriptOf, type PanelState,
} from "./conversation_store.ts";
import type * as GrantedScript from "./granted.ts";
import type * as LooksScript from "./looks.ts";
import { currentTexts, currentTranslation, loadPart, loadTexts } from "./panel_texts.ts";
import type * as RequestsScript from "./person_requests.ts";
import { ShadowHost } from "./shadow_host.ts";
import { UsageMeter } from "./usage_meter.ts";

export type { PanelAgent } from "../run/person.ts";

/** Interval of the check whether a kept run is resumed on this page. */
const POLL_MS = 1000;

/** Screens on which the panel covers the page (`panel_styles.ts`). */
const NARROW = matchMedia("(max-width: 560px)");

export class Panel {
  #agent: PanelAgent;
  #texts = currentTexts();
  #store = new ConversationStore();
  #host = new ShadowHost((event) => this.#onKey(event));
  #conversation = new Conversation(this.#texts, {
    file: (runId, name) => this.#agent.file(runId, name),
    undo: (goal, call) => void this.#start(goal, false, call),
    answers: () => loadPart<typeof AnswersPart>("answers"),
    again: (goal, withoutModel, call) => void this.#start(goal, withoutModel, call),
    otherwise: (goal) => {
      this.#composer.draft ||= goal;
      this.#composer.focus();
    },
    minimise: () => this.minimise(),
  });
  #meter = new UsageMeter(this.#texts);
  /** Undefined until the first run. */
  #requests: RequestsScript.PersonRequests | undefined;
  #loading: Promise<RequestsScript.PersonRequests> | undefined;
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
      this.#prepare();
    },
  });
  #shown: PanelState = "closed";
  /** The page had it in its layout when it was placed last. */
  #inline = false;
  #running = false;
  /** The person has taken over. */
  #paused = false;
  /** Looks whether the run of the previous page is still kept, until the agent reports one. */
  #waiting: ReturnType<typeof setInterval> | undefined;
  #abort: AbortController | undefined;
  /** The only call of the run that this page has started. */
  #call: KnownCall | undefined;
  #request: PersonRequest | undefined;
  /** The part of the agent that is loaded, from 0 to 1; undefined where nobody knows. */
  #loaded: number | undefined;
  #script = loadPart<typeof LooksScript>("looks");
  #looks: LooksScript.Looks | undefined;
  /** The beginning of an empty conversation. */
  #greeting: HTMLElement;
  #welcome = h("p");
  #suggestions = h("ul", { class: "suggestions" });
  #panel: HTMLElement;
  #pill: HTMLButtonElement;
  #pillText = h("span");
  #foot = h("div", { class: "foot" });
  #status = h("p", { class: "unseen", role: "status" });
  #close: HTMLButtonElement;
  #fresh: HTMLButtonElement;
  #details: HTMLElement;
  /** Is replaced by what the visitor has allowed, once the details are unfolded. */
  #place = h("section");
  #granted: Promise<GrantedScript.Granted> | undefined;

  constructor(agent: PanelAgent) {
    this.#agent = agent;
    const texts = this.#texts;
    this.#close = iconButton("close", texts.close, () => this.close());
    this.#fresh = iconButton("plus", texts.new_goal, () => this.#startOver());
    this.#details = h(
      "section",
      { class: "details", hidden: true, tabindex: "0", "aria-label": texts.details },
      this.#meter.details,
      this.#place,
      h(
        "p",
        { class: "save" },
        h("span", { class: "quiet" }, `${texts.save_transcript}:`),
        button("link", texts.as_markdown, () => void this.#save("markdown")),
        button("link", texts.as_json, () => void this.#save("json")),
      ),
      // The development server has the inspector next to this script.
      document.querySelector("meta[name=webagent-live]") && h("a", { href: new URL("./", import.meta.url).href, target: "_blank" }, "Inspector"),
    );
    const unfold = button("link", texts.details, () => {
      this.#details.hidden = !this.#details.hidden;
      unfold.ariaExpanded = String(!this.#details.hidden);
      if (!this.#details.hidden) this.#showGranted();
      // The details take room from the conversation, whose end must stay in view.
      this.#conversation.scrollToEnd();
    });
    unfold.ariaExpanded = "false";
    this.#foot.append(this.#meter.line, unfold);
    this.#panel = h(
      "div",
      { class: "panel", part: "panel", role: "dialog", "aria-labelledby": "title" },
      h(
        "div",
        { class: "head", part: "header" },
        picture("star"),
        h("h2", { id: "title" }, h("slot", { name: "title" }, texts.title)),
        this.#fresh,
        h("span", { class: "window" }, iconButton("minimise", texts.minimise, () => this.minimise()), this.#close),
      ),
      this.#conversation.element,
      this.#details,
      this.#requestPlace,
      h("div", { class: "tail", part: "composer" }, this.#composer.element, this.#foot),
    );
    this.#conversation.element.setAttribute("part", "conversation");
    this.#greeting = h(
      "div",
      { class: "greeting" },
      h("slot", { name: "greeting" }, this.#welcome, h("p", { class: "quiet" }, texts.greeting_more)),
      this.#suggestions,
    );
    this.#pill = button("pill", this.#pillText, () => this.open());
    Object.assign(this.#host.content, currentTranslation().attributes).append(this.#panel, this.#pill, this.#status);
    this.#panel.hidden = this.#pill.hidden = true;
    this.#restore();
    this.#listen();
    this.#script
      .then(({ Looks }) => (this.#looks = new Looks(this.#host, this.#panel, texts)))
      .catch((thrown: unknown) => console.error("webagent: no looks:", thrown))
      .finally(() => this.#host.content.classList.add("dressed"));
  }

  /** Go into the element that the page has for the panel, or out of one that it has removed. */
  place(): void {
    const was = this.#inline;
    this.#host.settle();
    this.#inline = this.#host.inline;
    if (this.#inline === was) return;
    this.#show(this.#inline ? "open" : this.#running ? "minimised" : "closed");
  }

  /** Show the panel; it takes the focus, except when it is restored on a new page. */
  open(focus = true): void {
    this.#show("open");
    this.#conversation.scrollToEnd();
    if (!focus) return;
    this.#prepare();
    this.#host.keepFocus();
    if (this.#request) this.#requests?.focus();
    else this.#composer.focus();
  }

  /** Take the focus that it had on the previous page, unless something of this page has it by now. */
  refocus(): void {
    if (this.#host.lostFocus) this.#composer.focus();
  }

  /** A goal is likely to follow. */
  #prepare(): void {
    void this.#agent.runs().then((runs) => runs.prepare()).catch(() => {});
  }

  /** Shrink it to a badge; a run continues. */
  minimise(): void {
    this.#leave("minimised");
  }

  /** Close it; a run is stopped. */
  close(): void {
    this.#leave("closed");
  }

  #leave(shown: PanelState): void {
    if (this.#host.inline) return;
    if (shown === "closed" && this.#running) void this.#stop();
    const had = this.#host.hasFocus;
    this.#show(shown);
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

  #loadRequests(): Promise<RequestsScript.PersonRequests> {
    this.#loading ??= loadPart<typeof RequestsScript>("requests").then((script) => {
      this.#requests = new script.PersonRequests(currentTranslation(), (shown) => this.#onRequest(shown), true);
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
    const before = this.#shown;
    this.#shown = shown;
    this.#panel.hidden = shown !== "open";
    this.#pill.hidden = shown !== "minimised";
    this.#host.show(shown);
    this.#remember();
    this.#update();
    if (shown === "open") void this.#suggest();
    if ((before === "closed") !== (shown === "closed")) this.#host.emit(shown === "closed" ? "close" : "open");
  }

  /** Keep how the next page shows the panel; without an element for it, it shows only a run that goes on. */
  #remember(): void {
    savePanelState(!this.#host.inline ? this.#shown : this.#running ? "minimised" : "closed", this.#host.hasFocus);
  }

  #listen(): void {
    this.#agent.addEventListener("agent", (event) => this.#onEvent((event as CustomEvent<AgentEvent>).detail));
    this.#agent.addEventListener("progress", (event) => {
      const { phase, loaded, total } = (event as CustomEvent<Progress>).detail;
      this.#loaded = phase === "download" && loaded < total ? loaded / total : undefined;
      this.#update();
    });
    this.#agent.addEventListener("manifestchange", () => void this.#suggest());
    this.#agent.addEventListener("forget", () => this.#forget());
    addEventListener("pagehide", () => {
      this.#remember();
      this.#store.leave();
    });
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
    if (event.type === "started" && this.#call) event = { ...event, call: this.#call };
    this.#store.add(event);
    this.#take(event, true);
    this.#update();
    if (event.type === "started" && !event.resumed) {
      if (this.#abort) this.#store.draft = this.#composer.draft;
      this.#host.emit("run", { goal: event.goal });
    }
    if (event.type === "finished") this.#host.emit("finished", { ok: event.ok, text: event.text });
  }

  #take(event: AgentEvent, live = false): void {
    if (event.type === "started") {
      this.#running = true;
      // The first request will come soon.
      this.#loadRequests().catch(() => {});
      if (!event.resumed) this.#meter.reset();
    }
    this.#meter.add(event);
    this.#conversation.show(event, live);
    if (event.type === "paused") this.#takeOver();
    if (event.type === "continued" || event.type === "finished") this.#paused = false;
    if (live && event.type === "switched" && event.text) this.#announce(event.text);
    if (event.type === "answered" && !this.#details.hidden) this.#showGranted();
    if (event.type !== "finished") return;
    if (live) void this.#agent.runs().then(({ rate }) => rate && this.#conversation.askWhetherItHelped(rate));
    this.#running = false;
    this.#conversation.doing = "";
    this.#withdraw();
    this.#announce(event.ok || !event.error ? event.text || this.#texts.finished : failureText(event.text, event.error, this.#texts));
  }

  /** Show the stored conversation of this tab. */
  #replay(): void {
    this.#clear();
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
        error: { kind: "navigated", message: "" },
      });
    }, POLL_MS);
  }

  /** @param call The only call of the run, where one is undone. */
  async #start(goal: string, withoutModel = false, call?: KnownCall): Promise<void> {
    if (!call) {
      // A page that is left meanwhile loses nothing.
      this.#store.draft = goal;
      // A suggestion leaves alone what the visitor has written.
      if (this.#composer.draft.trim() === goal) this.#composer.draft = "";
    }
    this.#running = true;
    this.#conversation.send(goal, call);
    this.#abort = new AbortController();
    this.#call = call;
    this.#update();
    this.#composer.focus();
    try {
      await this.#agent.run(goal, { signal: this.#abort.signal, ...((withoutModel || call) && { model: null }), ...(call && { call }) });
    } catch (thrown) {
      // The run goes on in the next page, and so does its conversation.
      if (isWebagentError(thrown) && thrown.kind === "navigated") return;
      const { not_started, stopped } = this.#texts;
      this.#conversation.unsend();
      const { aborted } = this.#abort.signal;
      if (aborted) this.#conversation.note(stopped);
      else this.#conversation.failed(not_started, { kind: "internal", message: describeThrown(thrown) });
      this.#announce(aborted ? stopped : not_started);
      if (!this.#store.running && !call) this.#composer.draft ||= goal;
    } finally {
      this.#running = this.#store.running;
      this.#abort = this.#call = undefined;
      this.#update();
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
    this.#empty();
    // From here on "it" does not mean anything earlier.
    new RecentRuns(tabStorage()).save("");
    this.#composer.focus();
  }

  /** The conversation is of a visitor who is not here any more. */
  #forget(): void {
    this.#withdraw();
    this.#store.draft = this.#composer.draft = "";
    this.#empty();
    this.#conversation.note(this.#texts.forgot);
  }

  #empty(): void {
    this.#store.clear();
    this.#clear();
    this.#update();
    void this.#suggest();
  }

  #clear(): void {
    this.#conversation.clear(this.#greeting);
    this.#meter.reset();
  }

  /** Greet the visitor as the site does, and with what they could ask for. */
  async #suggest(): Promise<void> {
    if (!this.#greeting.isConnected) return;
    const { greeting } = this.#texts;
    this.#welcome.textContent ||= greeting;
    try {
      const [{ suggestionsIn }, text] = await Promise.all([this.#script, this.#agent.manifestText()]);
      const suggestions = suggestionsIn(text);
      this.#welcome.textContent = visible(suggestions.greeting || greeting);
      this.#suggestions.replaceChildren(
        ...suggestions.goals.map((goal) => {
          const one = button("", visible(goal), () => void this.#start(goal));
          one.setAttribute("part", "suggestion");
          one.dir = "auto";
          return h("li", {}, one);
        }),
      );
    } catch {
      // Without suggestions the visitor writes a goal.
    }
  }

  #showGranted(): void {
    this.#granted ??= loadPart<typeof GrantedScript>("granted").then(({ Granted }) => {
      const granted = new Granted(this.#agent, currentTranslation());
      this.#place.replaceWith(granted.element);
      return granted;
    });
    this.#granted.then((granted) => granted.refresh()).catch(() => (this.#granted = undefined));
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
        if (this.#host.inline) this.#host.element.scrollIntoView({ block: "nearest" });
        this.#host.keepFocus();
        this.#requests?.focus();
      }
    } else if (had || this.#host.lostFocus) {
      this.#host.giveFocusBack();
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing || this.#shown !== "open" || this.#host.inline) return;
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
    return this.#store.running ? working : starting;
  }

  #update(): void {
    this.#host.settle();
    const texts = this.#texts;
    const talking = this.#running || this.#store.events.length > 0;
    const doing = this.#doing();
    this.#panel.classList.toggle("talking", talking);
    this.#panel.role = this.#host.inline ? "region" : "dialog";
    this.#fresh.hidden = this.#running || !talking;
    // Until the run has come to this page, there is nothing to pause.
    const starting = this.#waiting !== undefined || !this.#store.running;
    const under = starting ? "starting" : this.#paused ? "paused" : "running";
    const state = this.#request ? "asking" : this.#running ? under : "ready";
    this.#composer.show(state === "running" && this.#conversation.attended ? "asking" : state, doing, this.#store.running ? undefined : this.#loaded);
    this.#host.content.classList.toggle("running", this.#running);
    this.#host.content.classList.toggle("acting", state === "running" || state === "starting");
    // A person who has taken over uses the page, and the panel stays where it is.
    if (this.#looks) this.#looks.state = state === "starting" ? "running" : state === "paused" ? "ready" : state;
    // A request needs the room of the tail.
    this.#foot.hidden = this.#request !== undefined;
    this.#close.title = this.#close.ariaLabel = this.#running ? texts.close_running : texts.close;
    this.#pill.classList.toggle("asking", this.#request !== undefined);
    this.#pillText.textContent = this.#running ? doing : texts.title;
    const icon = this.#request ? "ask" : this.#running && !this.#paused ? "started" : "star";
    this.#pill.replaceChildren(picture(icon), this.#pillText);
  }
}

let made: Panel | undefined;

/** The panel of this page, its only one, in the page's language. After a failed download the next call tries again. */
async function panelOf(agent: PanelAgent): Promise<Panel> {
  if (!made) await loadTexts();
  return (made ??= new Panel(agent));
}

/** Show the panel. */
export async function openPanel(agent: PanelAgent): Promise<Panel> {
  const panel = await panelOf(agent);
  panel.open();
  return panel;
}

/** Show the panel as it was on the previous page, or in the element that the page has for it. */
export async function restorePanel(agent: PanelAgent): Promise<Panel> {
  const known = made;
  const panel = await panelOf(agent);
  // To show the panel overwrites what the previous page has kept.
  const [shown, focused] = known ? [] : savedPanelState();
  panel.place();
  if (shown === "open") panel.open(false);
  if (shown === "minimised") panel.minimise();
  if (focused) panel.refocus();
  return panel;
}
