/** A page in a few lines: what kind it is by the evidence, its headings, its facts, what can be done. */
import { titleOf } from "../read/nodes.ts";
import type { Page } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import type { View } from "../read/page_reader.ts";
import { isField } from "../read/aria_roles.ts";
import { claimsOf, type Fact, pricesIn } from "./structured_data.ts";
import { kindOf, type PageType, statusOf } from "./page_summary.ts";

export interface Summary {
  title: string;
  url: string;
  page_type: PageType;
  /** What the server answered with, if the page is still what it sent. */
  status?: number;
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
