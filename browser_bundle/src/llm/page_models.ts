/**
 * The models of a page: the browser's own, `LanguageModel` of the Prompt API, for `BuiltinModel` in
 * `llm/builtin.py`; and a module of the site's own, for `ModuleModel` in `llm/module.py`.
 *
 * The `tools` of the browser's are not used: it would call them itself, without the person's approval.
 */
import { describeThrown } from "../base/errors.ts";

/** Most characters of a reply, as it is streamed and as JSON. */
const MAX_CHARS = 1024 * 1024;
/** Most replies at a time. */
const MAX_OPEN = 8;

type Availability = "absent" | "unavailable" | "downloadable" | "downloading" | "available";

/** A message as Python writes it; images are PNG files in base64. */
interface ModelMessage {
  role: "system" | "user" | "assistant";
  text: string;
  images?: string[];
}

interface ReplyRequest {
  languages: string[];
  /** Earlier messages, the system's first. */
  initial: ModelMessage[];
  /** The messages to reply to; without any, only the session is opened. */
  prompt: ModelMessage[];
  /** JSON Schema of the answer. */
  constraint?: object;
  /** Whether the model may be downloaded. */
  download: boolean;
}

/** A request to a module of the site. */
interface ModuleRequest {
  /** URL of the module. */
  module: string;
  messages: object[];
  tools: object[];
}

/** The exports of a module. */
interface SiteModule {
  reply?(request: {
    messages: object[];
    tools: object[];
    /** Aborted when the reply is no longer needed. */
    signal: AbortSignal;
    /** Shows words before the reply is complete. */
    onText(text: string): void;
  }): unknown;
}

/** Parts of a reply, in order; `done` and `error` are the last. `reply` is JSON that the module chose. */
type ReplyPart =
  | { type: "progress"; loaded: number }
  | { type: "session"; window: number | null; prompt: number }
  | { type: "text"; text: string }
  | { type: "done"; completion: number }
  | { type: "done"; reply: string }
  | { type: "error"; name: string; message: string };

export interface ModelBridge {
  /** Whether there is a model for `{"languages"}`, as JSON text. */
  model_availability(request: string): Promise<string>;
  /** Start a reply; it is read by its number. */
  model_start(number: number, request: string): void;
  /** The next part, as JSON. */
  model_read(number: number): Promise<string>;
  /** End a reply, finished or not. */
  model_close(number: number): void;
}

type Content = { type: "text"; value: string } | { type: "image"; value: Blob };
interface Prompt {
  role: string;
  content: Content[];
}
interface Expected {
  type: "text" | "image";
  languages?: string[];
}
interface Core {
  expectedInputs: Expected[];
  expectedOutputs: Expected[];
}
interface PromptOptions {
  responseConstraint?: object;
  omitResponseConstraintInput?: boolean;
  signal: AbortSignal;
}
/** The members of a session that we use; `inputUsage` and the like are names in older browsers. */
interface Session {
  promptStreaming(input: Prompt[], options: PromptOptions): ReadableStream<string>;
  measureContextUsage?(input: Prompt[], options: PromptOptions): Promise<number>;
  measureInputUsage?(input: Prompt[], options: PromptOptions): Promise<number>;
  contextUsage?: number;
  inputUsage?: number;
  contextWindow?: number;
  inputQuota?: number;
  destroy(): void;
}
interface LanguageModel {
  availability(options: Core): Promise<Availability>;
  create(
    options: Core & {
      initialPrompts?: Prompt[];
      signal: AbortSignal;
      monitor(monitor: EventTarget): void;
    },
  ): Promise<Session>;
}

export function createModelBridge(): ModelBridge {
  const replies = new Map<number, Reply>();
  return {
    async model_availability(request) {
      const { languages } = JSON.parse(request) as { languages: string[] };
      return JSON.stringify(await availability(coreOptions(languages, false)));
    },
    model_start(number, request) {
      const reply = new Reply();
      if (replies.size >= MAX_OPEN) reply.fail("OperationError", `${MAX_OPEN} replies are already running`);
      else void reply.run(JSON.parse(request) as ReplyRequest | ModuleRequest);
      replies.set(number, reply);
    },
    async model_read(number) {
      const none: ReplyPart = { type: "error", name: "AbortError", message: "the reply has ended" };
      return JSON.stringify((await replies.get(number)?.next()) ?? none);
    },
    model_close(number) {
      replies.get(number)?.end();
      replies.delete(number);
    },
  };
}

/** A reply and its session. */
class Reply {
  #abort = new AbortController();
  #parts: ReplyPart[] = [];
  #wake: (() => void) | undefined;
  #session: Session | undefined;
  /** Whether the last part has come; a module may still call `onText`. */
  #ended = false;

  async next(): Promise<ReplyPart> {
    while (this.#parts.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
    return this.#parts.shift() as ReplyPart;
  }

  fail(name: string, message: string): void {
    this.#emit({ type: "error", name, message });
  }

  end(): void {
    this.#abort.abort();
    this.#session?.destroy();
    this.fail("AbortError", "it was cancelled");
  }

  async run(request: ReplyRequest | ModuleRequest): Promise<void> {
    try {
      await ("module" in request ? this.#answerByModule(request) : this.#answer(request));
    } catch (thrown) {
      const name = thrown instanceof DOMException || thrown instanceof Error ? thrown.name : "Error";
      this.fail(name, describeThrown(thrown));
    } finally {
      this.#session?.destroy();
    }
  }

  async #answer(replyRequest: ReplyRequest): Promise<void> {
    const images = [...replyRequest.initial, ...replyRequest.prompt].some((message) => message.images?.length);
    const core = coreOptions(replyRequest.languages, images);
    const found = await availability(core);
    if (found === "absent" || found === "unavailable") return this.fail("NotSupportedError", found);
    if (found !== "available" && !replyRequest.download) return this.fail("DownloadNeeded", found);
    const { signal } = this.#abort;
    const session = await (globalModel() as LanguageModel).create({
      ...core,
      ...(replyRequest.initial.length ? { initialPrompts: replyRequest.initial.map(prompt) } : {}),
      signal,
      monitor: (monitor) =>
        monitor.addEventListener("downloadprogress", (event) => {
          const { loaded } = event as ProgressEvent;
          if (Number.isFinite(loaded)) this.#emit({ type: "progress", loaded });
        }),
    });
    this.#session = session;
    // The reply may have been ended while the session was created.
    signal.throwIfAborted();
    const window = count(session.contextWindow ?? session.inputQuota);
    if (replyRequest.prompt.length === 0) {
      this.#emit({ type: "session", window, prompt: 0 });
      return this.#emit({ type: "done", completion: 0 });
    }
    await this.#speak(session, window, replyRequest);
  }

  async #answerByModule({ module, messages, tools }: ModuleRequest): Promise<void> {
    const url = new URL(module, document.baseURI);
    if (url.origin !== location.origin) {
      return this.fail("ModuleError", `\`${url.href}\` is not of this page's origin`);
    }
    const { reply } = await this.#load(url.href);
    if (typeof reply !== "function") {
      return this.fail("ModuleError", `\`${url.href}\` does not export a function \`reply\``);
    }
    let left = MAX_CHARS;
    const { signal } = this.#abort;
    const onText = (text: string): void => {
      left -= typeof text === "string" ? text.length : 0;
      if (typeof text === "string" && left >= 0 && !this.#ended) this.#emit({ type: "text", text });
    };
    const written = JSON.stringify(await reply({ messages, tools, signal, onText })) ?? "null";
    if (Math.min(left, MAX_CHARS - written.length) < 0) {
      return this.fail("OperationError", `the reply is longer than ${MAX_CHARS}`);
    }
    this.#emit({ type: "done", reply: written });
  }

  async #load(url: string): Promise<SiteModule> {
    try {
      return (await import(url)) as SiteModule;
    } catch (thrown) {
      const failure = new Error(`\`${url}\`: ${describeThrown(thrown)}`);
      failure.name = "ModuleError";
      throw failure;
    }
  }

  async #speak(session: Session, window: number | null, replyRequest: ReplyRequest): Promise<void> {
    const { signal } = this.#abort;
    const input = replyRequest.prompt.map(prompt);
    const options: PromptOptions = replyRequest.constraint
      ? { signal, responseConstraint: replyRequest.constraint, omitResponseConstraintInput: true }
      : { signal };
    const measured = session.measureContextUsage
      ? await session.measureContextUsage(input, options)
      : await session.measureInputUsage?.(input, options);
    const before = usage(session) + (count(measured) ?? 0);
    if (window !== null && before > window) {
      // Otherwise the browser would silently drop the oldest messages.
      return this.fail("QuotaExceededError", `it has ${before} tokens, of ${window} that fit`);
    }
    this.#emit({ type: "session", window, prompt: before });
    const reader = session.promptStreaming(input, options).getReader();
    let left = MAX_CHARS;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      left -= piece.value.length;
      if (left < 0) return this.fail("OperationError", `the reply is longer than ${MAX_CHARS}`);
      this.#emit({ type: "text", text: piece.value });
    }
    this.#emit({ type: "done", completion: Math.max(usage(session) - before, 0) });
  }

  #emit(part: ReplyPart): void {
    this.#ended ||= part.type === "done" || part.type === "error";
    this.#parts.push(part);
    this.#wake?.();
  }
}

async function availability(core: Core): Promise<Availability> {
  const model = globalModel();
  return model ? model.availability(core) : "absent";
}

function globalModel(): LanguageModel | undefined {
  return (globalThis as { LanguageModel?: LanguageModel }).LanguageModel;
}

function coreOptions(languages: string[], images: boolean): Core {
  const text: Expected = { type: "text", languages };
  return {
    expectedInputs: images ? [text, { type: "image" }] : [text],
    expectedOutputs: [text],
  };
}

function prompt({ role, text, images = [] }: ModelMessage): Prompt {
  const shown = images.map((image): Content => {
    const bytes = Uint8Array.from(atob(image), (char) => char.charCodeAt(0));
    return { type: "image", value: new Blob([bytes], { type: "image/png" }) };
  });
  return { role, content: [{ type: "text", value: text }, ...shown] };
}

function usage(session: Session): number {
  return count(session.contextUsage ?? session.inputUsage) ?? 0;
}

/** A count of tokens; null when it is unknown or infinite. */
function count(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? Math.round(value) : null;
}
