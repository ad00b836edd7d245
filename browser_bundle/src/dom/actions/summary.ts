/** A page in a few lines: what kind it is by the evidence, its headings, its facts, what can be done. */
import { everywhere, titleOf } from "../page/nodes.ts";
import type { Page } from "../page/page.ts";
import { line } from "../page/words.ts";
import type { View } from "../read/reader.ts";
import { isField } from "../read/roles.ts";
import { isShown } from "../read/visibility.ts";
import { type Claims, claimsOf, type Fact, pricesIn } from "./facts.ts";
import { searchFieldIn } from "./search.ts";

export type PageType =
  | "captcha"
  | "error"
  | "login"
  | "signup"
  | "checkout"
  | "cart"
  | "search_results"
  | "product"
  | "article"
  | "listing"
  | "form"
  | "home"
  | "page";

export interface Summary {
  title: string;
  url: string;
  page_type: PageType;
  headings: { level: number; text: string; pp_id: number }[];
  facts: Fact[];
  actions: { pp_id: number; text: string }[];
}

const MOST_HEADINGS = 40;
const MOST_ACTIONS = 25;

export function summary(page: Page): Summary {
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
  return {
    title: line(titleOf(page.top)),
    url: page.window.location.href,
    page_type: kindOf(page, view, claims, text, prices.length),
    headings,
    facts,
    actions: actionsIn(view),
  };
}

/** Buttons and fields, then the first links of the main part. */
function actionsIn(view: View): Summary["actions"] {
  const seen = new Set<string>();
  const usable = view.entries.filter(({ info }) => {
    const told =
      (info.role === "button" || info.role === "clickable" || isField(info.role)) &&
      info.name &&
      !info.states.includes("disabled");
    // A list of things to buy has the same button many times.
    const key = `${info.role} ${info.name.replace(/\d+/g, "")}`;
    if (!told || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return usable.slice(0, MOST_ACTIONS).map(({ info }) => ({ pp_id: info.id, text: `${info.role} "${info.name}"` }));
}

/** The first kind that the evidence speaks for; what stops everything else comes first. */
function kindOf(page: Page, view: View, claims: Claims, text: string, prices: number): PageType {
  const { pathname, search } = page.window.location;
  const first = view.entries.find(({ info }) => info.role === "heading" && info.level === 1)?.info.name ?? "";
  const titles = `${line(titleOf(page.top))}\n${first}`;
  const path = pathname.toLowerCase();
  const fields = view.entries.filter(({ info }) => isField(info.role));
  const buttons = view.entries
    .filter(({ info }) => info.role === "button" || info.role === "link")
    .map(({ info }) => info.name);
  const passwords = fields.filter(({ element }) => (element as HTMLInputElement).type === "password").length;
  const isA = (pattern: RegExp): boolean => claims.types.some((type) => pattern.test(type));
  const asked = new URLSearchParams(search);

  if (isCaptcha(page, titles, text)) return "captcha";
  if (
    text.length < 3000 &&
    /\b(404|403|410|500|502|503)\b|not found|(page|site|address) .{0,30}(exist|unavailable|gone)|something went wrong|no such|access denied|server error/i.test(
      titles,
    )
  )
    return "error";
  if (passwords > 0) {
    const signs = /sign ?up|register|create (an |your )?account|join/i;
    return passwords > 1 || signs.test(first) || (signs.test(path) && !/log ?in|sign ?in/i.test(first))
      ? "signup"
      : "login";
  }
  const pays = fields.some(({ element }) => /\bcc-/.test(element.getAttribute("autocomplete") ?? ""));
  if (pays || (/checkout|payment/i.test(`${titles}\n${path}`) && fields.length > 1)) return "checkout";
  if (/\b(cart|basket|shopping bag|trolley)\b/i.test(`${first}\n${path.replace(/[^a-z]+/g, " ")}`)) return "cart";
  const queried = ["q", "query", "s", "search", "keyword", "keywords", "term"].some((key) => asked.get(key));
  if (isA(/^searchresultspage$/) || queried || /\b(search )?results? (for|of)\b/i.test(titles)) return "search_results";
  const buys = buttons.filter((name) =>
    /\b(add|put)\b.{0,80}\b(cart|basket|bag|trolley)\b|\bbuy( now)?\b|\border now\b/i.test(name),
  ).length;
  if (buys <= 3 && (isA(/^product(group)?$|^og:product$/) || (buys > 0 && prices > 0))) return "product";
  const paragraphs = everywhere(page.top, "article p,main p,[role=main] p").filter(
    (p) => (p.textContent ?? "").length > 150,
  ).length;
  if (isA(/article$|^blogposting$|^recipe$/) || paragraphs >= 4) return "article";
  if (path === "/" || /^\/(index|home|default)(\.\w+)?$/.test(path)) return "home";
  const links = view.entries.filter(({ info }) => info.role === "link").length;
  if (isA(/^(itemlist|collectionpage)$/) || buys > 3 || repeats(view) >= 5) return "listing";
  if (prices > 5 && links > prices) return "listing";
  const asks = fields.filter((field) => field !== searchFieldIn(view)).length;
  if (asks >= 2) return "form";
  return paragraphs >= 2 ? "article" : links > 40 ? "listing" : "page";
}

const CAPTCHA =
  "iframe[src*=captcha i],iframe[src*='challenges.cloudflare'],.g-recaptcha,.h-captcha,.cf-turnstile,#captcha,[id*=captcha i] img,input[name*=captcha i]:not([type=hidden])";

function isCaptcha(page: Page, titles: string, text: string): boolean {
  const told =
    /are (you )?(a )?(human|robot)|verify (that )?you|unusual traffic|checking your browser|just a moment|attention required|access to this page has been denied/i;
  if (text.length < 3000 && told.test(`${titles}\n${text}`)) return true;
  return text.length < 1000 && everywhere(page.top, CAPTCHA).some(isShown);
}

/** How many headings of one level, each with a link, stand one after the other. */
function repeats(view: View): number {
  const levels = new Map<number, number>();
  for (const { level, ids, text } of view.lines)
    if (level > 1 && ids.length > 1 && /\] link/.test(text)) levels.set(level, (levels.get(level) ?? 0) + 1);
  return Math.max(0, ...levels.values());
}
