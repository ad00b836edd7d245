/** Limits how many calls run at the same time; further ones wait. */
import { MAX_OPEN_CALLS, MAX_WAITING_CALLS } from "./limits.ts";
import type { Outcome } from "./worker_messages.ts";

export type Settle = (outcome: Outcome) => void;

export class ConcurrencyLimiter {
  #open = 0;
  #waiting: (() => void)[] = [];

  /** Start a call now or later; `settle` gets its outcome, or an error if too many wait. */
  add(start: (settle: Settle) => void, settle: Settle): void {
    const go = (): void => {
      this.#open += 1;
      start((outcome) => {
        this.#open -= 1;
        this.#waiting.shift()?.();
        settle(outcome);
      });
    };
    if (this.#open < MAX_OPEN_CALLS) go();
    else if (this.#waiting.length < MAX_WAITING_CALLS) this.#waiting.push(go);
    else settle({ ok: false, error: TOO_MANY });
  }
}

const TOO_MANY = {
  kind: "rate_limited" as const,
  message: `the program has more than ${MAX_OPEN_CALLS + MAX_WAITING_CALLS} calls at the same time`,
  help: "`await` calls before you make more",
};
