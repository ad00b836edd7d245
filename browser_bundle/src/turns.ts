/** Work that is done one piece after the other. */
import { describeThrown } from "./base/errors.ts";

export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Do something after everything before it; what fails is told and holds up nothing. */
  take(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step);
    this.#last = done.catch((thrown: unknown) => {
      console.error(`webagent: ${describeThrown(thrown)}`);
    });
    return done;
  }
}
