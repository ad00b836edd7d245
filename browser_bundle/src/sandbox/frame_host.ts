/** The frame that programs run in: created for the first one, kept for the next ones, removed when idle. */
import { WebagentError } from "../base/errors.ts";
import type { FromSupervisor, ToFrame, ToSupervisor } from "./worker_messages.ts";

/** How long an unused frame is kept. */
const IDLE_MS = 60_000;
const LOAD_LIMIT_MS = 30_000;
/** How long after its load our frame may take to answer. */
const ANSWER_LIMIT_MS = 5000;

/** A slot that is in use, and how to leave it; `spoilt` when the frame may be damaged too. */
interface TakenSlot {
  slot: WorkerSlot;
  leave: (spoilt: boolean) => void;
}

export class SandboxFrame {
  #element: HTMLIFrameElement;
  #control: MessagePort;
  #spare: NumberedSlot;
  #ids = 0;
  #used = 0;
  #spoilt = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /**
   * Put the frame into the page.
   *
   * @param url Address of `sandbox.html`.
   * @throws WebagentError `sandbox` that says what the site has to allow.
   */
  static async open(url: string): Promise<SandboxFrame> {
    const element = document.createElement("iframe");
    element.setAttribute("sandbox", "allow-scripts");
    element.setAttribute("aria-hidden", "true");
    element.referrerPolicy = "no-referrer";
    element.title = "webagent sandbox";
    element.tabIndex = -1;
    element.style.cssText = "display: none !important";
    element.src = url;
    try {
      return new SandboxFrame(element, await connect(element, url));
    } catch (thrown) {
      element.remove();
      throw thrown;
    }
  }

  private constructor(element: HTMLIFrameElement, control: MessagePort) {
    this.#element = element;
    this.#control = control;
    this.#spare = this.#prepare();
    this.#rest();
  }

  /** Whether programs can still be run in it; the page may have removed it. */
  get usable(): boolean {
    return !this.#spoilt && this.#element.isConnected;
  }

  /** Take the prepared slot, and prepare the next one. */
  take(): TakenSlot {
    clearTimeout(this.#idle);
    const { id, slot } = this.#spare;
    this.#used += 1;
    this.#spare = this.#prepare();
    const leave = (spoilt: boolean): void => {
      this.#close({ id, slot });
      this.#used -= 1;
      this.#spoilt ||= spoilt;
      if (this.#used > 0) return;
      if (this.#spoilt) this.#remove();
      else this.#rest();
    };
    return { slot, leave };
  }

  #prepare(): NumberedSlot {
    const id = ++this.#ids;
    const { port1, port2 } = new MessageChannel();
    const message: ToFrame = { type: "open", id };
    this.#control.postMessage(message, [port2]);
    return { id, slot: new WorkerSlot(port1) };
  }

  #close({ id, slot }: NumberedSlot): void {
    slot.close();
    const message: ToFrame = { type: "close", id };
    this.#control.postMessage(message);
  }

  #rest(): void {
    this.#idle = setTimeout(() => this.#remove(), IDLE_MS);
  }

  #remove(): void {
    this.#spoilt = true;
    this.#close(this.#spare);
    this.#control.close();
    this.#element.remove();
  }
}

interface NumberedSlot {
  id: number;
  slot: WorkerSlot;
}

/** Load a frame and get its port. */
function connect(element: HTMLIFrameElement, url: string): Promise<MessagePort> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    let timer = setTimeout(() => settle(notLoaded(url)), LOAD_LIMIT_MS);
    const settle = (error?: WebagentError): void => {
      clearTimeout(timer);
      document.removeEventListener("securitypolicyviolation", forbidden);
      if (error) reject(error);
      else resolve(port1);
    };
    const forbidden = (event: SecurityPolicyViolationEvent): void => {
      const frames = /^(frame|child|default)-src/.test(event.effectiveDirective);
      if (frames && event.disposition === "enforce" && url.startsWith(event.blockedURI)) {
        settle(notAllowed(url));
      }
    };
    document.addEventListener("securitypolicyviolation", forbidden);
    port1.onmessage = () => settle();
    element.onload = () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(notLoaded(url)), ANSWER_LIMIT_MS);
      // The frame's origin is opaque and cannot be addressed; the message holds nothing secret but the port.
      element.contentWindow?.postMessage("webagent-sandbox", "*", [port2]);
      element.onload = null;
    };
    document.documentElement.append(element);
  });
}

function notAllowed(url: string): WebagentError {
  const { origin } = new URL(url);
  return new WebagentError({
    kind: "sandbox",
    message: "the page's content security policy forbids the frame that programs run in",
    help: `add ${origin === location.origin ? "'self'" : origin} to its frame-src`,
  });
}

function notLoaded(url: string): WebagentError {
  return new WebagentError({
    kind: "sandbox",
    message: `the frame that programs run in did not load from ${url}`,
    help: "see that the server has `sandbox.html` next to `webagent.js` and lets the page frame it",
  });
}

const START_LIMIT_MS = 30_000;

/** A worker that waits for one program, from the page's side. */
export class WorkerSlot {
  /** Resolves when the worker can take its program. */
  readonly ready: Promise<void>;
  #port: MessagePort;
  #listener: (message: FromSupervisor) => void = () => {};
  #gone = () => {};

  constructor(port: MessagePort) {
    this.#port = port;
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(notStarted()), START_LIMIT_MS);
      this.#listener = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    // A worker that was prepared ahead may never be used.
    this.ready.catch(() => {});
    port.onmessage = ({ data }: MessageEvent<FromSupervisor>) => this.#listener(data);
    // Where the browser has this event, it fires when the other side has crashed.
    port.addEventListener("close", () => this.#gone());
  }

  /** Take the program's messages from now on; `gone` is called if its place goes away. */
  listen(listener: (message: FromSupervisor) => void, gone: () => void): void {
    this.#listener = listener;
    this.#gone = gone;
  }

  send(message: ToSupervisor): void {
    this.#port.postMessage(message);
  }

  /** Ignore all further messages. */
  close(): void {
    this.#listener = this.#gone = () => {};
    this.#port.close();
  }
}

function notStarted(): WebagentError {
  return new WebagentError({
    kind: "sandbox",
    message: `the sandbox's worker did not start within ${START_LIMIT_MS / 1000} s`,
    help: "run the program again; a new sandbox is made for it",
  });
}
