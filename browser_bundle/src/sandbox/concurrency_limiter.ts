/** Limits how many calls run at the same time, and what their arguments weigh; further ones wait. */
import { MAX_OPEN_CALLS, MAX_OPEN_CHARS, MAX_WAITING_CALLS, MAX_WAITING_CHARS } from "./limits.ts";
import type { Outcome } from "./worker_messages.ts";

export type Settle = (outcome: Outcome) => void;

interface WaitingCall {
  chars: number;
  go: () => void;
}

export class ConcurrencyLimiter {
  #open = 0;
  #openChars = 0;
  #waiting: WaitingCall[] = [];
  #waitingChars = 0;

  /**
   * Start a call now or later; `settle` gets its outcome, or an error if too many wait.
   *
   * @param chars What its arguments weigh.
   */
  add(start: (settle: Settle) => void, settle: Settle, chars: number): void {
    const go = (): void => {
      this.#open += 1;
      this.#openChars += chars;
      start((outcome) => {
        this.#open -= 1;
        this.#openChars -= chars;
        this.#startWaiting();
        settle(outcome);
      });
    };
    if (!this.#waiting.length && this.#hasRoom(chars)) go();
    else if (this.#waiting.length >= MAX_WAITING_CALLS) settle({ ok: false, error: TOO_MANY });
    else if (this.#waitingChars + chars > MAX_WAITING_CHARS) settle({ ok: false, error: TOO_MUCH });
    else {
      this.#waiting.push({ chars, go });
      this.#waitingChars += chars;
    }
  }

  #hasRoom(chars: number): boolean {
    return this.#open < MAX_OPEN_CALLS && this.#openChars + chars <= MAX_OPEN_CHARS;
  }

  #startWaiting(): void {
    while (this.#waiting[0] && this.#hasRoom(this.#waiting[0].chars)) {
      const { chars, go } = this.#waiting.shift() as WaitingCall;
      this.#waitingChars -= chars;
      go();
    }
  }
}

const TOO_MANY = {
  kind: "rate_limited" as const,
  message: `the program has more than ${MAX_OPEN_CALLS + MAX_WAITING_CALLS} calls at the same time`,
  help: "`await` calls before you make more",
};
const TOO_MUCH = {
  kind: "rate_limited" as const,
  message: `the arguments of calls that wait for their turn are longer than ${MAX_WAITING_CHARS} characters`,
  help: "`await` calls before you make more",
};
