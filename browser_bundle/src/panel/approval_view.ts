/** An action that waits for a yes: the tool, its arguments, and what is odd about them. */
import type { PersonRequest } from "../run/run_events.ts";
import { lookalikes } from "../ui/confusables.ts";
import { inLine } from "../ui/display_text.ts";
import { h } from "../ui/elements.ts";
import { lookalikeText, marked, markedWords, wholeValue, type Scrolls } from "./data_view.ts";
import { fill, type Texts } from "./panel_texts.ts";

/** Words with letters of two scripts that are explained; all of them are marked. */
const MOST_EXPLAINED = 10;
/** Characters of the arguments of a call that are searched for such words. */
const MOST_SEARCHED = 20_000;

/** Where the value of an argument came from. */
interface Origin {
  from: "goal" | "person" | "result" | "page" | "agent";
  of?: string;
  /** Of the tool, for people. */
  title?: string;
}

type Arguments = Record<string, unknown>;

/** Labels, names and origins of the arguments of a request. */
interface Words {
  origins?: Record<string, Origin>;
  /** The parameter, for people. */
  labels?: Record<string, string>;
  /** The thing that an id names. */
  names?: Record<string, string>;
}

/** The arguments of each call that a request is about. */
export function callsOf({ details }: PersonRequest): Arguments[] {
  const calls = details["calls"];
  return Array.isArray(calls) && calls.length > 1 ? (calls as Arguments[]) : [(details["arguments"] ?? {}) as Arguments];
}

/** The values that a form sends and the page does not show. */
const unseenOf = ({ details }: PersonRequest): Arguments => (details["sends"] ?? {}) as Arguments;

/** The approvals that a yes to a plan gives. */
export function approvalsOf({ details }: PersonRequest): PersonRequest[] {
  const given = details["approvals"];
  return Array.isArray(given) ? (given as Omit<PersonRequest, "kind">[]).map((each) => ({ ...each, kind: "approval" })) : [];
}

/**
 * The parts of a request for an approval, below its question.
 *
 * @param scrolls Called with each part that scrolls.
 */
export function approvalView(request: PersonRequest, texts: Texts, scrolls: Scrolls): HTMLElement[] {
  const { text, details } = request;
  const effect = String(details["effect"] ?? "unknown");
  const meaning = texts[`effect_${effect}` as "effect_unknown"] ?? texts.effect_unknown;
  const name = String(details["tool"] || details["action"] || "");
  const to = details["to"];
  const leaves = typeof to === "string" && effect === "read";
  // The site's own sentence says what is changed.
  const said = details["confirm"] === true && effect === "write";
  const shown: HTMLElement[] = [
    h(
      "p",
      { class: "tags" },
      name && h("code", {}, ...marked(name, texts)),
      // Leaving for another site does not change anything on this one.
      !leaves && !said && h("span", { class: `effect ${effect === "irreversible" ? "severe" : ""}` }, meaning),
    ),
  ];
  if (typeof to === "string") {
    shown.push(h("p", { class: "severe" }, ...marked(fill(leaves ? texts.goes_to : texts.sends_to, { origin: to }), texts)));
  }
  const odd = oddities(request, name, texts);
  if (odd.length > 0) shown.push(h("ul", { class: "odd" }, ...odd.map((line) => h("li", {}, ...markedWords(line, texts)))));
  const calls = callsOf(request);
  const words = details as Words;
  if (calls.length > 1) {
    const item = (given: Arguments, place: number) => h("li", {}, argumentList(given, { labels: words.labels ?? {} }, `${place + 1}`, texts, scrolls));
    shown.push(h("p", { class: "size" }, fill(texts.calls, { count: calls.length })), h("ol", { class: "calls" }, ...calls.map(item)));
  } else if (Object.keys(calls[0] ?? {}).length > 0) {
    shown.push(argumentList(calls[0] ?? {}, words, "", texts, scrolls));
  }
  const unseen = unseenOf(request);
  if (Object.keys(unseen).length > 0) {
    shown.push(h("p", { class: "size" }, texts.also_sent), argumentList(unseen, {}, "", texts, scrolls));
  }
  const reason = String(details["reason"] || "");
  if (!said && !text.toLowerCase().includes(reason.toLowerCase())) shown.push(h("p", { class: "quiet", dir: "auto" }, ...marked(reason, texts)));
  return shown;
}

function argumentList(given: Arguments, { origins = {}, labels = {}, names = {} }: Words, name: string, texts: Texts, scrolls: Scrolls): HTMLElement {
  const list = h("dl", { class: "given" });
  for (const [key, value] of Object.entries(given)) {
    const sources = Object.entries(origins)
      .filter(([path]) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`))
      .map(([, origin]) => originText(origin, texts));
    const from = [...new Set(sources)].join(", ");
    list.append(
      h("dt", { title: key }, ...marked(labels[key] ?? key, texts)),
      h("dd", {}, names[key] && h("p", { class: "thing" }, ...marked(names[key], texts)), wholeValue(value, texts, `${name} ${key}`.trim(), scrolls), from && h("span", { class: "origin" }, ...marked(from, texts))),
    );
  }
  return list;
}

function originText({ from, of, title }: Origin, texts: Texts): string {
  const words = texts[`from_${from}` as keyof Texts] ?? texts.from_agent;
  return fill(words, { of: title ?? of ?? "" });
}

/** Characters that a reader would take for others, in words. */
function oddities(request: PersonRequest, name: string, texts: Texts): string[] {
  const similar = request.details["similar"];
  const others = (Array.isArray(similar) ? similar : []).map((other) => fill(texts.similar, { name, other: String(other) }));
  const read = [request.text, name, ...[...callsOf(request), unseenOf(request)].map((given) => inLine(given, MOST_SEARCHED))].join("\n");
  const explained = new Map<string, string>();
  for (const letter of lookalikes(read)) {
    if (explained.size < MOST_EXPLAINED && !explained.has(letter.word)) explained.set(letter.word, lookalikeText(letter, texts));
  }
  return [...others, ...explained.values()];
}
