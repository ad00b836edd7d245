/** The state that a page provides to the agent: values by name, read at each step. */
import { describeThrown, isWebagentError, WebagentError } from "../base/errors.ts";
import { encode, jsonText } from "../base/values.ts";

/** Returns a value that matters now, or a promise of it; undefined if there is nothing to say. */
export type Provider = () => unknown;

/** Options of `webagent.provide()`. */
export interface ProvideOptions {
  /** Removes the provider when it is aborted. */
  signal?: AbortSignal;
}

/** A value as JSON, or why there is none. */
interface ProvidedValue {
  name: string;
  text?: string;
  problem?: string;
}

interface Registration {
  provider: Provider;
  /** The last value, while the page works on it. */
  running?: Promise<unknown> | undefined;
  /** Whether that has taken too long already, so that no step waits for it again. */
  late?: boolean;
  /** Whether a problem was reported to the developer. */
  warned?: true;
}

const MOST_PROVIDERS = 10;
const MOST_NAME = 60;
const MOST_CHARS = 2000;
const MOST_PROBLEM = 300;
const LIMIT_MS = 300;

export class ProvidedState {
  readonly #providers = new Map<string, Registration>();

  /**
   * Register a provider, in place of one of the same name.
   *
   * @returns A function that removes it.
   * @throws WebagentError for a name, a provider or a number of them that is not possible.
   */
  provide(name: string, provider: Provider, { signal }: ProvideOptions): () => void {
    if (typeof name !== "string" || !/^[\p{L}\p{N}_][\p{L}\p{N}_ .-]*$/u.test(name) || name.length > MOST_NAME)
      throw refused("`name` is not a name", `write up to ${MOST_NAME} letters, digits, spaces and \`_.-\``, "name");
    if (typeof provider !== "function") throw refused("`provider` is not a function", "pass a function that returns the value", "provider");
    if (!this.#providers.has(name) && this.#providers.size >= MOST_PROVIDERS)
      throw refused(`${MOST_PROVIDERS} values are provided already`, "return several values as one object", "name");
    const registration: Registration = { provider };
    const remove = (): void => {
      if (this.#providers.get(name) === registration) this.#providers.delete(name);
    };
    if (signal?.aborted) return remove;
    this.#providers.set(name, registration);
    signal?.addEventListener("abort", remove, { once: true });
    return remove;
  }

  /** All values now; each has its own time limit. */
  async read(): Promise<ProvidedValue[]> {
    const found = await Promise.all([...this.#providers].map(([name, registration]) => this.#valueOf(name, registration)));
    return found.filter((value) => value !== null);
  }

  async #valueOf(name: string, registration: Registration): Promise<ProvidedValue | null> {
    try {
      const value = await inTime(registration);
      return value === undefined ? null : { name, text: textOf(value) };
    } catch (thrown) {
      const problem = (isWebagentError(thrown) ? thrown.message : describeThrown(thrown)).slice(0, MOST_PROBLEM);
      if (!registration.warned) console.warn(`webagent: the agent does not get the state \`${name}\` - ${problem}`);
      registration.warned = true;
      return { name, problem };
    }
  }
}

function textOf(value: unknown): string {
  const text = jsonText(encode(value, { maxChars: MOST_CHARS }));
  if (text.length > MOST_CHARS) throw new Error(`the value is too large: it is longer than ${MOST_CHARS} characters`);
  return text;
}

/** The value of a provider. One that is still at work is not called again. */
async function inTime(registration: Registration, limit_ms = LIMIT_MS): Promise<unknown> {
  const tooLate = new Error(`it took longer than ${limit_ms} ms`);
  if (registration.late) throw tooLate;
  registration.running ??= (async () => registration.provider())().finally(() => {
    registration.running = undefined;
    registration.late = false;
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      registration.late = registration.running !== undefined;
      reject(tooLate);
    }, limit_ms);
  });
  try {
    return await Promise.race([registration.running, late]);
  } finally {
    clearTimeout(timer);
  }
}

function refused(message: string, help: string, path: string): WebagentError {
  return new WebagentError({ kind: "invalid_arguments", message, help, path });
}

/**
 * Reads the values that the agent in a page gives to an agent outside of it, as far as they are values.
 *
 * @param agent Returns `window.webagent`, or whatever the page has put there.
 */
export function stateReader(agent: () => unknown): () => Promise<ProvidedValue[]> {
  const registration: Registration = { provider: () => (agent() as { provided(): unknown }).provided() };
  return async () => {
    try {
      // Each of its values has its own limit.
      const listed = await inTime(registration, 2 * LIMIT_MS);
      return Array.isArray(listed) ? listed.slice(0, MOST_PROVIDERS).map(checked) : [];
    } catch {
      return [];
    }
  };
}

function checked({ name, text, problem }: ProvidedValue): ProvidedValue {
  const cut = (words: unknown, most: number): string => String(words).slice(0, most);
  const value = text === undefined ? { problem: cut(problem, MOST_PROBLEM) } : { text: cut(text, MOST_CHARS) };
  return { name: cut(name, MOST_NAME), ...value };
}
