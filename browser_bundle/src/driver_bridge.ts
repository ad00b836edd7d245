/** `outside.js`: gives an agent outside of the browser access to any page; Playwright injects it. */
import {
  accessOf, forgetAccess, IGNORE, MASK, toolPart, unknownModes,
} from "./base/agent_access.ts";
import { WebagentError } from "./base/errors.ts";
import { createDom } from "./dom/index.ts";
import {
  documentIn, inlineStyleOf, is, query, restoreStyle, rootsIn, styleOf, tagOf, type InlineStyle,
} from "./dom/read/nodes.ts";
import { denied, type Camera, type Marked } from "./dom/read/protocol.ts";
import { marksOf, sizeOf, type DriverMarks } from "./dom/screenshot/marks.ts";
import type { AskCaller, ToolQuestion } from "./tools/offers.ts";
import { PageTools } from "./tools/page_tools.ts";
import { stateReader } from "./page/provided_state.ts";
import { createBridge, withState, type Bridge, type RunCode } from "./tools/python_bridge.ts";

const NOT_AVAILABLE = "this page is driven from outside, where programs run elsewhere";

interface DriverBridge extends Bridge {
  /** The element of the last requested screenshot, which the driver takes. */
  aimed(): Element;
  /** The marks of that screenshot, `DriverMarks` as JSON. */
  marks(): string;
  /** Hides what is closed to agents, while the driver takes the picture. */
  cover(): void;
  uncover(): void;
  /** Keep the news of a call that is about to be made. */
  listen(callId: number): void;
  /** Messages and questions of a running call, a JSON list; empty once the call has ended. */
  news(callId: number): Promise<string>;
  /** Answer a question of the news; the answer is JSON. */
  answer(question: number, answer: string): void;
}

/**
 * The bridge of a document; the driver keeps it until the document is unloaded.
 *
 * @param hasPerson Whether a person sees the page.
 */
export function enter(fromOrigins: string[], hasPerson: boolean): DriverBridge {
  const refuse = async () => {
    throw new WebagentError({ kind: "internal", message: NOT_AVAILABLE });
  };
  const tools = new PageTools(refuse, fromOrigins, false, () => {}, async () => ({ toolPart, unknownModes }), () => hasPerson);
  let aimed: Element = document.documentElement;
  let marked: readonly Marked[] = [];
  const camera: Camera = {
    async capture(target, elements = []) {
      aimed = target;
      marked = elements;
      return { data: "", width: 0, height: 0 };
    },
  };
  const dom = withState(createDom(document, { screenshot: async () => camera }), stateReader(() => window.webagent));
  const marks = (): string => {
    const found: DriverMarks = { ...marksOf(aimed, marked, sizeOf(aimed)), scale: devicePixelRatio };
    return JSON.stringify(found);
  };
  const runCode: RunCode = refuse;
  const calls = new CallNews();
  const bridge = createBridge(tools, async () => dom, runCode, calls.progress, calls.ask);
  let uncover = (): void => {};
  const cover = (): void => {
    uncover();
    uncover = coverClosed(document);
  };
  const invoke: Bridge["invoke"] = async (target, args, callId, ...further) => {
    try {
      return await bridge.invoke(target, args, callId, ...further);
    } finally {
      calls.end(callId);
    }
  };
  return {
    ...bridge, invoke, listen: calls.listen, news: calls.next, answer: calls.answer,
    aimed: () => aimed, marks, cover, uncover: () => uncover(),
  };
}

type Answer = Awaited<ReturnType<AskCaller>>;

/** Messages and questions of running calls, until the driver takes them. */
class CallNews {
  #calls = new Map<number, { news: object[]; heard: () => void }>();
  #questions = new Map<number, (answer: Answer) => void>();
  #last = 0;

  listen = (callId: number): void => void this.#calls.set(callId, { news: [], heard: () => {} });

  end(callId: number): void {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    call?.heard();
  }

  progress = (callId: number, message: string): void => this.#report(callId, { message });

  ask = (callId: number, request: ToolQuestion): Promise<Answer> =>
    new Promise((resolve) => {
      const question = ++this.#last;
      this.#questions.set(question, resolve);
      this.#report(callId, { question, request });
    });

  next = async (callId: number): Promise<string> => {
    const call = this.#calls.get(callId);
    if (call && call.news.length === 0) await new Promise<void>((resolve) => (call.heard = resolve));
    return JSON.stringify(call?.news.splice(0) ?? []);
  };

  answer = (question: number, answer: string): void => {
    this.#questions.get(question)?.(JSON.parse(answer) as Answer);
    this.#questions.delete(question);
  };

  #report(callId: number, item: object): void {
    const call = this.#calls.get(callId);
    call?.news.push(item);
    call?.heard();
  }
}

/** Fields whose text alone is hidden, so that the picture shows that they are there. */
const TEXTS = "textarea,input:not([type=checkbox i],[type=radio i],[type=file i],[type=range i],[type=color i],[type=button i],[type=submit i],[type=reset i],[type=image i])";
const NO_TEXT = "color:transparent!important;-webkit-text-fill-color:transparent!important;text-shadow:none!important";
const NOTHING = "opacity:0!important";

/**
 * Hides what agents do not see, masked texts, and frames that cannot be read, until the returned function is
 * called.
 *
 * @throws WebagentError if the page's own styles show a part all the same.
 */
function coverClosed(top: Document): () => void {
  forgetAccess();
  const covered: { element: HTMLElement; style: InlineStyle }[] = [];
  const uncover = (): void => {
    for (const { element, style } of covered.splice(0)) restoreStyle(element, style);
  };
  for (const root of rootsIn(top, true)) {
    for (const element of query(root, "*") as HTMLElement[]) {
      const style = styleFor(element);
      if (!style) continue;
      covered.push({ element, style: inlineStyleOf(element) });
      element.style.cssText += `;transition:none!important;${style}`;
      if (style === NOTHING && styleOf(element)?.opacity !== "0") {
        uncover();
        throw denied("no picture can be taken: the page shows what the site closed to agents", "read the page instead");
      }
    }
  }
  return uncover;
}

/** The style that hides an element; empty if it is open, or inside an element that is hidden as a whole. */
function styleFor(element: Element): string {
  const closed = accessOf(element);
  if (closed & IGNORE || (/^i?frame$/.test(tagOf(element)) && !documentIn(element))) return NOTHING;
  if (!(closed & MASK)) return "";
  if (!is(element, TEXTS)) return NOTHING;
  return (element as HTMLInputElement).value ? NO_TEXT : "";
}
