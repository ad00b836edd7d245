/** The agent of a page, at work on the goals of a test. */
import type { Page } from "@playwright/test";
import type { AgentEvent } from "webagent-page";
import { needAgent } from "./agent_in_page.js";

/** Options of a run. */
export interface RunOptions {
  /** Tools that may write without asking. */
  allow?: string[];
  /** Whether all may. */
  allowWrites?: boolean;
  /** The answers of a person on the first page, in order. Without any there is nobody to ask. */
  answers?: (boolean | string)[];
  /** A model as `webagent.run` takes it; by default the agent has none, even where the page has one. */
  model?: { provider: string; url?: string; name?: string };
  /** The limit of steps. */
  steps?: number;
  /** Whether a goal that is not reached fails the test. */
  check?: boolean;
}

/** The outcome of a run. */
export interface Outcome {
  ok: boolean;
  text: string;
  data?: unknown;
  error?: { kind: string; message: string };
  /** The tools that were called, in order. */
  calls: { name: string; arguments: Record<string, unknown>; value?: unknown }[];
}

/** The agent did not reach a goal. */
export class GoalNotReached extends Error {
  override name = "GoalNotReached";
  outcome: Outcome;

  constructor(goal: string, outcome: Outcome) {
    const why = outcome.error ? `\`${outcome.error.kind}\`: ${outcome.error.message}` : outcome.text;
    const calls = outcome.calls.map(({ name, arguments: given }) => `\n  called ${name} ${JSON.stringify(given)}`);
    super(`the agent did not reach its goal - ${why}\n  goal ${goal}${calls.join("")}`);
    this.outcome = outcome;
  }
}

const LOOK_MS = 10;
/** Name of the function by which pages report. */
const REPORT = "__webagentTestEvent";

/** The agent of a page. */
export class PageAgent {
  /** The events of the last run, as `webagent.run` reports them in the page. */
  events: AgentEvent[] = [];
  #page: Page;
  #onEvent: (event: AgentEvent) => void = () => {};

  private constructor(page: Page) {
    this.#page = page;
  }

  /** The agent of a page, before the test opens anything in it. */
  static async in(page: Page): Promise<PageAgent> {
    const agent = new PageAgent(page);
    await page.exposeFunction(REPORT, (event: AgentEvent) => {
      agent.events.push(event);
      agent.#onEvent(event);
    });
    await page.addInitScript(
      ([report, wait_ms]) => {
        if (window.top !== window) return;
        const timer = setInterval(() => {
          if (!Object.hasOwn(window, "webagent")) return;
          clearInterval(timer);
          const send = (window as unknown as Record<string, (event: unknown) => void>)[report];
          webagent.addEventListener("agent", ({ detail }) => send?.(JSON.parse(JSON.stringify(detail))));
        }, wait_ms);
      },
      [REPORT, LOOK_MS] as const,
    );
    return agent;
  }

  /**
   * Work on a goal, also over several pages. Changes are refused unless they are allowed, or answered with yes.
   *
   * @throws GoalNotReached
   */
  async run(goal: string, options: RunOptions = {}): Promise<Outcome> {
    const { allow = [], allowWrites = false, answers = [], model = null, steps = 30, check = true } = options;
    await needAgent(this.#page);
    // The listener is there before the first event.
    await this.#page.waitForTimeout(LOOK_MS * 2);
    this.events = [];
    const finished = new Promise<Extract<AgentEvent, { type: "finished" }>>((resolve) => {
      this.#onEvent = (event) => event.type === "finished" && resolve(event);
    });
    const refused = await this.#page.evaluate(begin, { goal, approve: allowWrites || allow, answers, model, steps });
    const { ok, text, data, error } = refused ?? (await finished);
    const outcome: Outcome = {
      ok,
      text,
      ...(data !== undefined && { data }),
      ...(error && { error }),
      calls: this.events.flatMap((event) =>
        event.type === "step" && event.state === "finished" && event.tool
          ? [{ name: event.tool, arguments: event.arguments, value: event.value }]
          : [],
      ),
    };
    if (check && !ok) throw new GoalNotReached(goal, outcome);
    return outcome;
  }
}

interface Begin {
  goal: string;
  approve: true | string[];
  answers: (boolean | string)[];
  model: RunOptions["model"] | null;
  steps: number;
}

type Refusal = Pick<Outcome, "ok" | "text" | "data" | "error">;

/** Start a run; resolves once it has begun, or to why it does not begin. */
function begin({ goal, approve, answers, model, steps }: Begin): Promise<Refusal | null> {
  const left = [...answers];
  return new Promise((resolve) => {
    webagent
      .run(goal, {
        approve,
        ask: async () => left.shift() ?? false,
        model: model ?? null,
        budget: { steps },
        onEvent: () => resolve(null),
      })
      .catch((error: { kind: string; message: string }) =>
        resolve({ ok: false, text: "", error: { kind: error.kind, message: error.message } }),
      );
  });
}
