/** Client of the server's API, with the owner's token. */

/** A failed request. */
export class ApiError extends Error {
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  readonly kind: string;
  readonly help: string;

  constructor(status: number, kind: string, message: string, help = "") {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.kind = kind;
    this.help = help;
  }
}

/** The server sends something at least every 15 seconds. */
const SILENCE_MS = 50_000;

interface ApiOptions {
  body?: unknown;
  signal?: AbortSignal;
}

export class ApiClient {
  #base: string;
  #token: string;

  /**
   * @param base URL of the API, ending in a slash.
   * @param token The owner's token; it is only kept in this object.
   */
  constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  async get<Answer>(path: string, options: ApiOptions = {}): Promise<Answer> {
    return (await this.#json(await this.#send("GET", path, options))) as Answer;
  }

  async post<Answer>(path: string, body: unknown, options: ApiOptions = {}): Promise<Answer> {
    return (await this.#json(await this.#send("POST", path, { ...options, body }))) as Answer;
  }

  async delete(path: string): Promise<void> {
    await this.#send("DELETE", path, {});
  }

  /** Read an event stream until it ends; with a body it is requested by POST. */
  async stream(path: string, onEvent: (event: StreamEvent) => void, options: ApiOptions = {}): Promise<void> {
    const method = options.body === undefined ? "GET" : "POST";
    const response = await this.#send(method, path, options);
    const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const reader = new EventStreamReader();
    for (;;) {
      // A connection that died silently, as when the machine slept, is closed.
      const silence = setTimeout(() => void chunks?.cancel(), SILENCE_MS);
      const read = chunks?.read().catch(connectionError);
      const { done, value } = (await read?.finally(() => clearTimeout(silence))) ?? { done: true, value: "" };
      if (done) return;
      for (const event of reader.take(value)) onEvent(event);
    }
  }

  async #send(method: string, path: string, { body, signal }: ApiOptions): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(this.#base + path, {
      method,
      headers,
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch(connectionError);
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async #json(response: Response): Promise<unknown> {
    if (response.status === 204) return undefined;
    return response.json().catch(connectionError);
  }
}

/** Exchange a one-time code for the owner's token. */
export async function tokenFor(base: string, code: string): Promise<string> {
  const response = await fetch(`${base}token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    cache: "no-store",
    body: JSON.stringify({ code }),
  }).catch(connectionError);
  if (!response.ok) throw await errorOf(response);
  const { token } = (await response.json().catch(connectionError)) as { token: string };
  return token;
}

/** The error for an unreachable server; the caller's own abort is passed on. */
function connectionError(thrown: unknown): never {
  if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
  const message = "the server does not answer - it may have been stopped - start `webagent-dev serve` again";
  throw new ApiError(0, "no_server", message);
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  try {
    const { kind, message, help } = (JSON.parse(text) as { error: Record<string, unknown> }).error;
    return new ApiError(response.status, String(kind), String(message), help ? String(help) : "");
  } catch {
    const said = text.trim().slice(0, 500) || `it answered with status ${response.status}`;
    return new ApiError(response.status, "internal", `the server cannot do this - ${said}`);
  }
}

export interface StreamEvent {
  name: string;
  data: string;
}

/** Parses the part of `text/event-stream` (HTML, section 9.2.6) that our server uses. */
export class EventStreamReader {
  #rest = "";

  /** Take a chunk; return the events that are complete now. */
  take(chunk: string): StreamEvent[] {
    // A CR at the end may be half of a CRLF, so it is kept for the next chunk.
    const text = this.#rest + chunk;
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    const blocks = whole.replace(/\r\n?/g, "\n").split("\n\n");
    this.#rest = (blocks.pop() ?? "") + text.slice(whole.length);
    return blocks.map(eventOf).filter((event) => event !== undefined);
  }
}

function eventOf(block: string): StreamEvent | undefined {
  let name = "message";
  const data: string[] = [];
  for (const one of block.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(one) ?? [];
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length > 0 ? { name, data: data.join("\n") } : undefined;
}
