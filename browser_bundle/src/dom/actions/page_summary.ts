/** Summarizes a page: its kind by the evidence, its headings, its facts, and what can be done. */
import { isField } from "../read/aria_roles.ts";
import { attr, everywhere, titleOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { isShown } from "../read/visibility.ts";
import { searchFieldIn } from "./site_search.ts";
import { claimsOf, pricesIn, type Claims, type Fact } from "./structured_data.ts";

type PageType =
  | "captcha"
  | "blocked"
  | "error"
  | "two_factor"
  | "consent"
  | "login"
  | "signup"
  | "checkout"
  | "cart"
  | "email"
  | "inbox"
  | "dashboard"
  | "search_results"
  | "search"
  | "product"
  | "article"
  | "listing"
  | "form"
  | "home"
  | "page";

/** Longest text of a page that only reports an error. */
const SHORT = 3000;
/** Longest text of a page that is only a search form. */
const BARE = 600;

const BLOCKED =
  /\b(429|451)\b|access (is |was |has been )?denied|(you|request|address|traffic)\b.{0,30}\bblocked|\bforbidden\b|too many requests|not available in your (country|region)/i;
const ERROR =
  /\b(404|403|410|500|502|503)\b|not found|(page|site|address) .{0,30}(exist|unavailable|gone)|something went wrong|no such|server error/i;
const CODE =
  /two[- ](factor|step)|2fa|multi[- ]factor|(verification|authentication|security|login|confirmation) code|one[- ]time (code|password|passcode)|\b\d[- ]digit code/i;
const CONSENT = /authori[sz]e|(wants|like|requests?|requesting) (to )?access|grant access|permission to|allow .{1,60} to /i;
const SIGNS_UP = /sign ?up|register|create (an |your )?account|join/i;
const BUYS = /\b(add|put)\b.{0,80}\b(cart|basket|bag|trolley)\b|\bbuy( now)?\b|\border now\b/i;

/** The first kind that matches the evidence; kinds that block everything else come first. */
function kindOf(page: PageState, view: View, claims: Claims, text: string, prices: number): PageType {
  const { pathname, search } = page.window.location;
  const first = view.entries.find(({ info }) => info.role === "heading" && info.level === 1)?.info.name ?? "";
  const titles = `${line(titleOf(page.top))}\n${first}`;
  const path = pathname.toLowerCase();
  const places = `${titles}\n${path.replace(/[^a-z]+/g, " ")}`;
  const fields = view.entries.filter(({ info }) => isField(info.role));
  const buttons = view.entries
    .filter(({ info }) => info.role === "button" || info.role === "link")
    .map(({ info }) => info.name);
  const offers = (pattern: RegExp): boolean => buttons.some((name) => pattern.test(name));
  const passwords = fields.filter(({ element }) => (element as HTMLInputElement).type === "password").length;
  const isA = (pattern: RegExp): boolean => claims.types.some((type) => pattern.test(type));
  const query = new URLSearchParams(search);

  if (isCaptcha(page, titles, text)) return "captcha";
  // A login page may have any status.
  const status = passwords > 0 ? 200 : (statusOf(page) ?? 200);
  if (text.length < SHORT && ([403, 429, 451].includes(status) || BLOCKED.test(titles))) return "blocked";
  if (text.length < SHORT && (status >= 400 || ERROR.test(titles))) return "error";
  if (passwords === 0 && asksCode(fields, `${titles}\n${text.length < SHORT ? text : ""}`)) return "two_factor";
  const decides = offers(/^(allow|authori[sz]e|approve|accept|grant|continue as)\b/i) && offers(/^(deny|cancel|decline|refuse|no\b|don.t allow)/i);
  if (decides && passwords === 0 && (CONSENT.test(titles) || /oauth|authorize|consent/.test(path))) return "consent";
  if (passwords > 0) {
    return passwords > 1 || SIGNS_UP.test(first) || (SIGNS_UP.test(path) && !/log ?in|sign ?in/i.test(first))
      ? "signup"
      : "login";
  }
  const pays = fields.some(({ element }) => /\bcc-/.test(attr(element, "autocomplete") ?? ""));
  if (pays || (/checkout|payment/i.test(`${titles}\n${path}`) && fields.length > 1)) return "checkout";
  if (/\b(cart|basket|shopping bag|trolley)\b/i.test(`${first}\n${path.replace(/[^a-z]+/g, " ")}`)) return "cart";
  if (offers(/^(reply|forward)\b/i) && /^\W*(from|to|subject)\b/im.test(text)) return "email";
  if (/\binbox\b|^(my )?(mail|messages)\b/im.test(places)) return "inbox";
  if (/\bdashboard\b/i.test(places) || (offers(/^(log|sign) ?out$/i) && /\b(your|my) account\b|\bwelcome back\b/i.test(first)))
    return "dashboard";
  const queried = ["q", "query", "s", "search", "keyword", "keywords", "term"].some((key) => query.get(key));
  if (isA(/^searchresultspage$/) || queried || /\b(search )?results? (for|of)\b/i.test(titles)) return "search_results";
  const field = searchFieldIn(view);
  const asks = fields.filter((other) => other !== field).length;
  if (field && asks === 0 && (text.length < BARE || /^(advanced |site )?search\b/im.test(places)) && repeats(view) < 5)
    return "search";
  const buys = buttons.filter((name) => BUYS.test(name)).length;
  if (buys <= 3 && (isA(/^product(group)?$|^og:product$/) || (buys > 0 && prices > 0))) return "product";
  const paragraphs = everywhere(page.top, "article p,main p,[role=main] p").filter(
    (p) => (p.textContent ?? "").length > 150,
  ).length;
  if (isA(/article$|^blogposting$|^recipe$/) || paragraphs >= 4) return "article";
  if (path === "/" || /^\/(index|home|default)(\.\w+)?$/.test(path)) return "home";
  const links = view.entries.filter(({ info }) => info.role === "link").length;
  if (isA(/^(itemlist|collectionpage)$/) || buys > 3 || repeats(view) >= 5) return "listing";
  if (prices > 5 && links > prices) return "listing";
  if (asks >= 2) return "form";
  return paragraphs >= 2 ? "article" : links > 40 ? "listing" : "page";
}

/** The server's status, if the page is still the document that it sent. */
function statusOf({ window }: PageState): number | undefined {
  const [sent] = window.performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const here = window.location.href.split("#")[0];
  return sent && sent.name.split("#")[0] === here ? sent.responseStatus || undefined : undefined;
}

/** Whether the page asks for a one-time code. */
function asksCode(fields: View["entries"], text: string): boolean {
  const inputs = fields.filter(({ info }) => /^(textbox|spinbutton|searchbox)$/.test(info.role));
  if (inputs.some(({ element }) => /\bone-time-code\b/.test(attr(element, "autocomplete") ?? ""))) return true;
  // One field for the code, or one for each digit.
  const few = inputs.length === 1 || (inputs.length > 3 && inputs.every(({ element }) => attr(element, "maxlength") === "1"));
  return few && CODE.test(text);
}

const CAPTCHA =
  "iframe[src*=captcha i],iframe[src*='challenges.cloudflare'],.g-recaptcha,.h-captcha,.cf-turnstile,#captcha,[id*=captcha i] img,input[name*=captcha i]:not([type=hidden])";

function isCaptcha(page: PageState, titles: string, text: string): boolean {
  const pattern =
    /are (you )?(a )?(human|robot)|verify (that )?you|unusual traffic|checking your browser|just a moment|attention required|access to this page has been denied/i;
  if (text.length < SHORT && pattern.test(`${titles}\n${text}`)) return true;
  return text.length < 1000 && everywhere(page.top, CAPTCHA).some(isShown);
}

/** How many headings of one level, each with a link, follow each other. */
function repeats(view: View): number {
  const levels = new Map<number, number>();
  for (const { level, ids, text } of view.lines)
    if (level > 1 && ids.length > 1 && /\] link/.test(text)) levels.set(level, (levels.get(level) ?? 0) + 1);
  return Math.max(0, ...levels.values());
}

interface Summary {
  title: string;
  url: string;
  page_type: PageType;
  /** The server's status, if the page is still the document that it sent. */
  status?: number;
  headings: { level: number; text: string; pp_id: number }[];
  facts: Fact[];
  actions: { pp_id: number; text: string }[];
}

const MOST_HEADINGS = 40;
const MOST_ACTIONS = 25;

export function summary(page: PageState): Summary {
  const view = page.read();
  const claims = claimsOf(page.top);
  const text = view.lines.map(({ key }) => key).join("\n");
  const prices = pricesIn(text);
  const headings = view.entries
    .filter(({ info }) => info.role === "heading" && info.name)
    .slice(0, MOST_HEADINGS)
    .map(({ info }) => ({ level: info.level ?? 2, text: info.name, pp_id: info.id }));
  const facts = [...claims.facts];
  if (prices.length > 0) facts.push({ name: "prices", value: prices.slice(0, 12).join(", ") });
  const status = statusOf(page);
  return {
    title: line(titleOf(page.top)),
    url: page.window.location.href,
    page_type: kindOf(page, view, claims, text, prices.length),
    ...(status ? { status } : {}),
    headings,
    facts,
    actions: actionsIn(view),
  };
}

/** Buttons and fields, then the first links of the main part. */
function actionsIn(view: View): Summary["actions"] {
  const seen = new Set<string>();
  const usable = view.entries.filter(({ info }) => {
    const isUsable =
      (info.role === "button" || info.role === "clickable" || isField(info.role)) &&
      info.name &&
      !info.states.includes("disabled");
    // A list of products repeats the same button.
    const key = `${info.role} ${info.name.replace(/\d+/g, "")}`;
    if (!isUsable || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return usable.slice(0, MOST_ACTIONS).map(({ info }) => ({ pp_id: info.id, text: `${info.role} "${info.name}"` }));
}

/** A request of the page, as far as a browser shows it to scripts: without method, headers and bodies. */
interface PageRequest {
  url: string;
  /** What asked for it: `navigation`, `fetch`, `xmlhttprequest`, `script`, `img`. */
  by: string;
  /** 0 for one that failed, and for one of another site that hides it. */
  status: number;
  ms: number;
}

/** Most requests that are listed, the latest ones. */
const MOST_REQUESTS = 200;

export function requests({ window }: PageState): PageRequest[] {
  const { performance } = window;
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return (all as PerformanceResourceTiming[]).slice(-MOST_REQUESTS).map(({ name, initiatorType, responseStatus, duration }) => ({
    url: name,
    by: initiatorType,
    status: responseStatus ?? 0,
    ms: Math.round(duration),
  }));
}
