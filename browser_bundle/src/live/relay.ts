/** Relays calls of the server to the page: from the inspector, the terminal and agent programs. */
import { describeThrown, isWebagentError, WebagentError, type ErrorData } from "../base/errors.ts";
import { onNavigation } from "../base/page_events.ts";
import { failedBeforeStart, type Result } from "../base/results.ts";
import type { Caller } from "../page/external_callers.ts";
import type { State, WebAgent } from "../page/webagent.ts";
import type { Ask, Request } from "../run/person.ts";
import type { AgentEvent } from "../run/run_events.ts";
import type { RunOptions } from "../run/runs.ts";
import { runIsKept } from "../run/tab_storage.ts";
import { RemoteActions } from "./remote_actions.ts";
import type { Call, GivenAnswer, PageMessage, ServerMessage } from "./messages.ts";

/** The longest message that the server accepts, in UTF-8, less some room for its envelope. */
const MOST_BYTES = (4 << 20) - 10_000;
/** Changes of the page's identity within this time are sent once. */
const PAUSE_MS = 100;
/** How long a page with a started agent may take to resume the run of the previous page. */
const RESUME_MS = 5000;

/** Where in sessionStorage a tab remembers that its run was started by a remote call. */
const REMOTE_RUN_KEY = "webagent-asked-outside";
/** Results that are kept, in case one is lost on its way, and the longest of them in characters. */
const KEPT_RESULTS = 100;
const LONGEST_KEPT = 100_000;
/** How long after connecting the remote caller has to claim the run of the previous page. */
const CLAIM_MS = 5000;

/** The connection that messages go through; `LiveSocket` is one. */
interface ServerConnection {
  send(message: PageMessage): void;
  /** Send the identity of this page again. */
  greet(): void;
  onopen: () => void;
  /** Called when the page is left, while messages can still be sent. */
  onleave: () => void;
}

/** A running remote call. */
interface Running {
  end: AbortController;
  kind: Call["kind"];
  answers: Map<string, (answer: GivenAnswer) => void>;
}

type Tools = Record<string, unknown>[];

export class Relay {
  /** Completes the list of the tools for the server. */
  described: (tools: Tools) => Tools = (tools) => tools;
  #agent: WebAgent;
  #channel: ServerConnection;
  #actions: RemoteActions;
  #running = new Map<string, Running>();
  #reported = "";
  /** Results of calls that have ended, by their ids; undefined for one that is too long to keep. */
  #ended = new Map<string, Result | undefined>();
  /** The visitor of this page, as the server sees them now. */
  #visitor: () => Promise<string>;
  /** The last call that the person is asked about; they are made one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Ends a run that is not claimed. */
  #orphan: ReturnType<typeof setTimeout> | undefined;

  /** @param visitor Returns the mark of the visitor whom the server sees; in development there is none. */
  constructor(agent: WebAgent, channel: ServerConnection, visitor: () => Promise<string> = async () => "") {
    this.#visitor = visitor;
    this.#agent = agent;
    this.#channel = channel;
    this.#actions = new RemoteActions(agent.seen, (detail) => this.#send({ v: 1, type: "event", name: "call", detail }));
    channel.onopen = () => {
      this.#reported = "";
      void this.#sendRegistry();
      this.#awaitClaim();
    };
    for (const type of ["ready", "toolschange", "manifestchange", "progress", "error"]) {
      agent.addEventListener(type, () => void this.#sendRegistry());
    }
    for (const name of ["call", "agent"] as const) {
      agent.addEventListener(name, (event) => this.#sendEvent(name, (event as CustomEvent).detail));
    }
    this.#watchIdentity();
    channel.onleave = () => this.#leave();
  }

  /** Whether a call runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Handle a message of the server; false when it is not for the relay. */
  handle(message: ServerMessage): boolean {
    switch (message.type) {
      case "call":
        void this.#work(message);
        return true;
      case "cancel":
        this.#running.get(message.id)?.end.abort();
        return true;
      case "answer":
        this.#running.get(message.id)?.answers.get(message.question)?.(message.answer);
        return true;
      default:
        return false;
    }
  }

  async #work(call: Call): Promise<void> {
    const isClaimed = call.kind === "goal" && "run_id" in call.arguments;
    // A call comes again when the server does not know what has reached this page.
    if (this.#ended.has(call.id)) return this.#answer(call.id, this.#ended.get(call.id) ?? tooLong(0));
    if (this.#running.has(call.id) && !isClaimed) return;
    // A run that is claimed again after a lost connection may still wait for an answer.
    const before = this.#running.get(call.id);
    const answers = before?.answers ?? new Map();
    const running: Running = { end: new AbortController(), kind: call.kind, answers };
    this.#running.set(call.id, running);
    if (call.kind === "goal") this.#onGoal(call);
    const started = performance.now();
    let result: Result;
    try {
      result = await this.#perform(call, running);
    } catch (thrown) {
      // Nobody follows a run that may not be claimed.
      before?.end.abort();
      // A run that began here goes on in the next page, which answers.
      if (isRunOfLeftPage(call, thrown)) this.#running.delete(call.id);
      result = failedBeforeStart(thrown, started);
    }
    // If the page was left, the call is answered already, or its run continues on the next page.
    if (this.#running.get(call.id) !== running) return;
    this.#running.delete(call.id);
    this.#keep(call.id, result);
    // A goal that was refused while a run waits to be claimed must not drop that run.
    if (call.kind === "goal" && this.#orphan === undefined) rememberRemoteRun(false);
    this.#answer(call.id, result);
  }

  #keep(id: string, result: Result): void {
    this.#ended.set(id, JSON.stringify(result).length > LONGEST_KEPT ? undefined : result);
    if (this.#ended.size > KEPT_RESULTS) this.#ended.delete(this.#ended.keys().next().value as string);
  }

  /** Stop the run of the previous page if its remote caller does not claim it here. */
  #awaitClaim(): void {
    if (!isRemoteRun() || [...this.#running.values()].some(({ kind }) => kind === "goal")) return;
    clearTimeout(this.#orphan);
    this.#orphan = setTimeout(() => {
      this.#orphan = undefined;
      rememberRemoteRun(false);
      if (runIsKept()) void this.#agent.stop();
    }, CLAIM_MS);
  }

  #onGoal(call: Call): void {
    if (call.arguments["run_id"] !== undefined) {
      clearTimeout(this.#orphan);
      this.#orphan = undefined;
    }
    rememberRemoteRun(true);
  }

  async #perform(call: Call, { end, answers }: Running): Promise<Result> {
    const { signal } = end;
    const given = call.arguments;
    if (call.visitor !== "" && (await this.#visitor()) !== call.visitor) throw new WebagentError(ANOTHER_VISITOR);
    switch (call.kind) {
      case "tool":
        if (call.asks === "page") {
          const tool = (await this.#agent.tools()).find((each) => each["name"] === call.name);
          if (tool?.["effect"] !== "read") return this.#askedAbout(call, String(tool?.["title"] ?? call.name), signal);
        }
        return this.#agent.result(call.name, given, signal, this.#caller(call, answers));
      case "code": {
        const options = { timeout_ms: call.deadline_ms, signal };
        return this.#agent.execute(String(given["code"]), options, this.#caller(call, answers));
      }
      case "snapshot":
        return this.#agent.snapshot();
      case "act": {
        const started = performance.now();
        return succeeded(await this.#actions.act(call, signal), started);
      }
      case "prompt":
        return this.#agent.prompt(String(given["goal"] ?? ""));
      case "goal": {
        const ask = call.asks === "page" ? undefined : this.#asker(call, answers);
        if (typeof given["run_id"] === "string") {
          const { question, answer } = given as { question?: string; answer?: GivenAnswer };
          if (question !== undefined && answer) answers.get(question)?.(answer);
          return this.#followRun(given["run_id"], ask, signal);
        }
        const { approve, budget, model, schema } = given as Pick<RunOptions, "budget" | "model" | "schema"> & {
          approve?: boolean;
        };
        const options = {
          signal,
          ...(ask && { approve: approve === true ? (true as const) : ask, ask }),
          ...(budget && { budget }),
          ...(model === null && { model }),
          ...(schema && { schema }),
        };
        const started = performance.now();
        return succeeded(await this.#agent.run(String(given["goal"]), options), started);
      }
    }
  }

  /** Make a call as a run of its own, in which the panel asks the person as in any other. */
  async #askedAbout({ name, caller, arguments: given }: Call, title: string, signal: AbortSignal): Promise<Result> {
    const started = performance.now();
    const turn = this.#turn.catch(() => {}).then(async () => {
      signal.throwIfAborted();
      let made: { value?: unknown } | undefined;
      const listen = ({ detail }: Event & { detail?: { name: string; state: string; value?: unknown } }) => {
        if (detail?.name === name && detail.state === "finished") made = detail;
      };
      this.#agent.addEventListener("call", listen);
      try {
        const outcome = await this.#agent.run(`${caller}: ${title}`, { signal, model: null, call: { tool: name, arguments: given } });
        if (!outcome.ok) throw new WebagentError((outcome["error"] as ErrorData | undefined) ?? notCalled(name, outcome.text));
      } finally {
        this.#agent.removeEventListener("call", listen);
      }
      return succeeded(made?.value ?? null, started);
    });
    this.#turn = turn;
    return turn;
  }

  #caller(call: Call, answers: Running["answers"]): Caller {
    const { id, caller, asks } = call;
    const progress = (message: string) => void this.#send({ v: 1, type: "progress", id, message });
    // A tool that only reads, and asks something nevertheless, gets no answer from outside.
    if (asks === "page") return { name: caller, progress };
    const asker = this.#asker(call, answers);
    return { name: caller, progress, ask: async (question) => (await asker(question)) as { yes: boolean; text: string } };
  }

  /** Follow a run of the previous page, which this page resumes by itself. */
  async #followRun(runId: string, ask: Ask | undefined, signal: AbortSignal): Promise<Result> {
    const started = performance.now();
    const over = new AbortController();
    let isRunning = false;
    const finished = new Promise<AgentEvent>((resolve) => {
      const onEvent = (event: AgentEvent) => {
        if (event.run_id !== runId) return;
        isRunning = true;
        // The call was cancelled before the run was resumed here.
        if (signal.aborted) void this.#agent.stop();
        if (event.type === "finished") resolve(event);
      };
      const listen = (event: Event) => onEvent((event as CustomEvent<AgentEvent>).detail);
      this.#agent.addEventListener("agent", listen, { signal: over.signal });
      signal.addEventListener("abort", () => void this.#agent.stop(), { signal: over.signal });
      void this.#agent.runs().then((runs) => {
        runs.askCaller = ask;
        runs.events.forEach(onEvent);
      });
    });
    try {
      await this.#agent.ready;
      const runs = await this.#agent.runs();
      // On a slow machine Python takes longer to start; then the page is about to resume the run.
      do await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, RESUME_MS))]);
      while (!isRunning && runs.isBusy);
      if (!isRunning) throw new WebagentError(RUN_LEFT_BEHIND);
      const { type: _, ...outcome } = await finished;
      return succeeded(outcome, started);
    } finally {
      over.abort();
      void this.#agent.runs().then((runs) => (runs.askCaller = undefined));
    }
  }

  /** Sends questions to the remote caller; each waits for its answer, for its time, or for the end of the run. */
  #asker({ id, visitor, deadline_ms }: Call, answers: Running["answers"]): Ask {
    return async (request) => {
      if (visitor !== "" && !isForCaller(request)) {
        const ask = await (await this.#agent.runs()).inPage();
        return ask ? ask(request) : { yes: false, text: "there is nobody to ask" };
      }
      // Unique across pages: a late answer to another page of the run must not match.
      const question = crypto.randomUUID();
      return new Promise((resolve) => {
        const onAnswer = (answer: GivenAnswer) => {
          clearTimeout(timer);
          answers.delete(question);
          resolve({ ...answer, files: answer.files.map(toFile) });
        };
        const timer = setTimeout(onAnswer, deadline_ms, NO_ANSWER);
        answers.set(question, onAnswer);
        this.#send({ v: 1, type: "question", id, question, request });
      });
    };
  }

  #answer(id: string, result: Result): void {
    if (this.#send({ v: 1, type: "result", id, result })) return;
    this.#send({ v: 1, type: "result", id, result: tooLong(result.duration_ms) });
  }

  #sendEvent(name: "call" | "agent", detail: AgentEvent & Record<string, unknown>): void {
    // The pieces of a text are followed by the whole text.
    if (detail.type === "text" && !detail["final"]) return;
    this.#send({ v: 1, type: "event", name, detail });
  }

  async #sendRegistry(): Promise<void> {
    const state: State = this.#agent.state;
    let tools = state === "ready" ? this.described(await this.#agent.tools().catch(() => [])) : [];
    const reported = JSON.stringify([state, tools]);
    if (reported === this.#reported) return;
    this.#reported = reported;
    while (!this.#send({ v: 1, type: "registry", state, tools })) {
      console.warn(`webagent: the list of all tools is too long, only ${tools.length >> 1} are sent to the server`);
      tools = tools.slice(0, tools.length >> 1);
    }
  }

  /** Send the identity of this page whenever it changes. */
  #watchIdentity(): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reported = "";
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const now = JSON.stringify([location.href, document.title, document.hasFocus()]);
        if (now !== reported) this.#channel.greet();
        reported = now;
      }, PAUSE_MS);
    };
    for (const type of ["focus", "blur", "visibilitychange"]) addEventListener(type, soon, true);
    onNavigation(soon);
    new MutationObserver(soon).observe(document.head, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  }

  /** The page is left: end tools and programs, but not a run, which may continue on the next page. */
  #leave(): void {
    for (const [id, { kind, end }] of this.#running) {
      this.#running.delete(id);
      if (kind === "goal") continue;
      const error = {
        kind: "navigated" as const,
        message: "the page was left before the answer came",
        help: "what was started may have happened; look before you call it again",
      };
      this.#answer(id, { ok: false, error, logs: [], calls: [], duration_ms: 0 });
      end.abort();
    }
  }

  /** @returns Whether the message is short enough to be sent. */
  #send(message: PageMessage): boolean {
    try {
      if (isLonger(JSON.stringify(message), MOST_BYTES)) return false;
      this.#channel.send(message);
    } catch (thrown) {
      console.error(`webagent: ${describeThrown(thrown)}`);
    }
    return true;
  }
}

/** Whether the run that the tab keeps was started by a remote call. */
function isRemoteRun(): boolean {
  try {
    return sessionStorage.getItem(REMOTE_RUN_KEY) !== null;
  } catch {
    return false;
  }
}

function rememberRemoteRun(isRemote: boolean): void {
  try {
    if (isRemote) sessionStorage.setItem(REMOTE_RUN_KEY, "1");
    else sessionStorage.removeItem(REMOTE_RUN_KEY);
  } catch {
    // Without storage no run is continued on another page.
  }
}

function toFile({ name, type, data }: GivenAnswer["files"][number]): File {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new File([bytes], name, { type });
}

function isRunOfLeftPage({ kind, arguments: given }: Call, thrown: unknown): boolean {
  return kind === "goal" && !("run_id" in given) && isWebagentError(thrown) && thrown.kind === "navigated";
}

/**
 * Whether a site's own server may answer a request for its caller. Only the person at the page answers
 * about an action that cannot be undone or reaches another site, a secret, or a file.
 */
function isForCaller({ kind, details }: Request): boolean {
  const { effect, to, sends, secret } = details;
  if (kind === "approval") return (effect === "write" || effect === "read") && to === undefined && sends === undefined;
  return kind === "plan" || (kind === "question" && secret !== true);
}

const NO_ANSWER: GivenAnswer = { yes: false, text: "nobody has answered in time", session: false, stop: true, files: [] };

const ANOTHER_VISITOR = {
  kind: "denied" as const,
  message: "the page belongs to another visitor now",
  help: "ask the person to log in again, and to connect you",
};

function notCalled(tool: string, message: string): ErrorData {
  return { kind: "denied", message: message || `the person did not allow \`${tool}\``, tool };
}

function tooLong(duration_ms: number): Result {
  const error = {
    kind: "too_large" as const,
    message: `the result is longer than ${MOST_BYTES} bytes`,
    help: "ask the tool for less",
  };
  return { ok: false, error, logs: [], calls: [], duration_ms };
}

const RUN_LEFT_BEHIND = {
  kind: "navigated" as const,
  message: "the run did not go on in the page that the tab went to",
  help: "look what it has done so far, and start it again there",
};

function succeeded(value: unknown, started: number): Result {
  return { ok: true, value, logs: [], calls: [], duration_ms: performance.now() - started } as Result;
}

/** Whether a text is longer than this in UTF-8. */
function isLonger(text: string, bytes: number): boolean {
  // A UTF-16 code unit takes at most three bytes.
  return text.length > bytes || (text.length * 3 > bytes && new Blob([text]).size > bytes);
}
