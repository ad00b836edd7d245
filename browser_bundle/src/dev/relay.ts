/** Calls from outside: of the inspector, of the terminal, of programs that speak to the server. */
import { describeThrown, WebagentError } from "../base/errors.ts";
import { onNavigation } from "../base/page_events.ts";
import { failedBeforeStart, type Result } from "../base/results.ts";
import type { Caller } from "../page/external_callers.ts";
import type { State, WebAgent } from "../page/webagent.ts";
import type { Ask } from "../run/person.ts";
import type { AgentEvent } from "../run/run_events.ts";
import type { RunOptions } from "../run/runs.ts";
import { runIsKept } from "../run/tab_storage.ts";
import { RemoteActions } from "./remote_actions.ts";
import type { Call, GivenAnswer, PageMessage, ServerMessage } from "./server_messages.ts";

/** The longest message that the server takes, in UTF-8, with some room for what is around. */
const MOST_BYTES = (4 << 20) - 10_000;
/** Changes of a title that come together are told together. */
const PAUSE_MS = 100;
/** How long a page whose agent has started may take to go on with a run of the page before. */
const RESUME_MS = 5000;

/** Where a tab remembers that its run was asked for from outside. */
const REMOTE_RUN_KEY = "webagent-asked-outside";
/** How long after the connection whoever asked for the run of the page before has to claim it. */
const CLAIM_MS = 5000;

/** Where messages go; `dev/live_socket.ts`. */
interface ServerConnection {
  send(message: PageMessage): void;
  /** Say again who this page is. */
  greet(): void;
  onopen: () => void;
  /** Called when the page is left, while something can still be said. */
  onleave: () => void;
}

/** What is under way for somebody outside. */
interface Running {
  end: AbortController;
  kind: Call["kind"];
  answers: Map<string, (answer: GivenAnswer) => void>;
}

export class Relay {
  #agent: WebAgent;
  #channel: ServerConnection;
  #actions: RemoteActions;
  #running = new Map<string, Running>();
  #reported = "";
  /** Ends a run that nobody claims. */
  #orphan: ReturnType<typeof setTimeout> | undefined;

  constructor(agent: WebAgent, channel: ServerConnection) {
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

  /** Take what the server asks for; false when it is none of the relay's business. */
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
    // A run that is claimed again, after the connection was lost, may wait for an answer.
    const answers = this.#running.get(call.id)?.answers ?? new Map();
    const running: Running = { end: new AbortController(), kind: call.kind, answers };
    this.#running.set(call.id, running);
    if (call.kind === "goal") this.#onGoal(call);
    const started = performance.now();
    let result: Result;
    try {
      result = await this.#perform(call, running);
    } catch (thrown) {
      result = failedBeforeStart(thrown, started);
    }
    // Once the page was left, the call has had its answer, or the run goes on in the next page.
    if (this.#running.get(call.id) !== running) return;
    this.#running.delete(call.id);
    // Another goal, refused while one waits to be claimed, changes nothing about that.
    if (call.kind === "goal" && this.#orphan === undefined) rememberRemoteRun(false);
    this.#answer(call.id, result);
  }

  /** A run of the page before that was asked for from outside ends if nobody claims it here. */
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
    switch (call.kind) {
      case "tool":
        return this.#agent.result(call.name, given, signal, this.#caller(call));
      case "code": {
        const options = { timeout_ms: call.deadline_ms, signal };
        return this.#agent.execute(String(given["code"]), options, this.#caller(call));
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
        const ask = this.#asker(call.id, answers);
        if (typeof given["run_id"] === "string") return this.#goOn(given["run_id"], ask, signal);
        const { approve, budget } = given as Pick<RunOptions, "budget"> & { approve?: boolean };
        const options = { signal, approve: approve === true ? (true as const) : ask, ...(budget && { budget }) };
        const started = performance.now();
        return succeeded(await this.#agent.run(String(given["goal"]), options), started);
      }
    }
  }

  #caller({ id, caller }: Call): Caller {
    const progress = (message: string) => void this.#send({ v: 1, type: "progress", id, message });
    return { name: caller, progress };
  }

  /** Go on with a run of the page that the tab showed before; this page takes it up by itself. */
  async #goOn(runId: string, ask: Ask, signal: AbortSignal): Promise<Result> {
    const started = performance.now();
    const over = new AbortController();
    let isRunning = false;
    const finished = new Promise<AgentEvent>((resolve) => {
      const onEvent = (event: AgentEvent) => {
        if (event.run_id !== runId) return;
        isRunning = true;
        // What was given up before the run went on here is stopped now.
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
      const patience = new Promise<void>((resolve) => setTimeout(resolve, RESUME_MS));
      await Promise.race([finished, patience]);
      if (!isRunning) throw new WebagentError(RUN_LEFT_BEHIND);
      const { type: _, ...outcome } = await finished;
      return succeeded(outcome, started);
    } finally {
      over.abort();
      void this.#agent.runs().then((runs) => (runs.askCaller = undefined));
    }
  }

  /** Asks whoever is outside; what is asked waits until it is answered or the run ends. */
  #asker(id: string, answers: Running["answers"]): Ask {
    return (request) => {
      // Of no other page of the run: an answer that comes too late says nothing here.
      const question = crypto.randomUUID();
      return new Promise((resolve) => {
        answers.set(question, (answer) => {
          answers.delete(question);
          resolve({ ...answer, files: answer.files.map(toFile) });
        });
        this.#send({ v: 1, type: "question", id, question, request });
      });
    };
  }

  #answer(id: string, result: Result): void {
    if (this.#send({ v: 1, type: "result", id, result })) return;
    const error = {
      kind: "too_large" as const,
      message: `the result is longer than ${MOST_BYTES} bytes`,
      help: "ask the tool for less",
    };
    const { duration_ms } = result;
    this.#send({ v: 1, type: "result", id, result: { ok: false, error, logs: [], calls: [], duration_ms } });
  }

  #sendEvent(name: "call" | "agent", detail: AgentEvent & Record<string, unknown>): void {
    // Pieces of a text are told once more as a whole.
    if (detail.type === "text" && !detail["final"]) return;
    this.#send({ v: 1, type: "event", name, detail });
  }

  async #sendRegistry(): Promise<void> {
    const state: State = this.#agent.state;
    let tools = state === "ready" ? await this.#agent.tools().catch(() => []) : [];
    const reported = JSON.stringify([state, tools]);
    if (reported === this.#reported) return;
    this.#reported = reported;
    while (!this.#send({ v: 1, type: "registry", state, tools })) {
      console.warn(`webagent: the server is told of ${tools.length >> 1} tools only, all are too long`);
      tools = tools.slice(0, tools.length >> 1);
    }
  }

  /** Say who this page is whenever that changes. */
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

  /** The page is left: tools and programs end with it, a run may go on in the next page. */
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

  /** @returns Whether it is short enough to be sent. */
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

/** Whether the run that the tab keeps was asked for from outside. */
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
    // Without storage no run goes on in another page.
  }
}

function toFile({ name, type, data }: GivenAnswer["files"][number]): File {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new File([bytes], name, { type });
}

const RUN_LEFT_BEHIND = {
  kind: "navigated" as const,
  message: "the run did not go on in the page that the tab went to",
  help: "look what it has done so far, and start it again there",
};

function succeeded(value: unknown, started: number): Result {
  return { ok: true, value, logs: [], calls: [], duration_ms: performance.now() - started } as Result;
}

/** Whether a text takes more bytes as UTF-8. */
function isLonger(text: string, bytes: number): boolean {
  // One unit of a text is three bytes at most.
  return text.length > bytes || (text.length * 3 > bytes && new Blob([text]).size > bytes);
}
