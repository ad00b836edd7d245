/** Structured data of a page: JSON-LD, microdata, OpenGraph, and the prices in its text. */
import { HIDDEN, isMasked } from "../../base/agent_access.ts";
import { wordsOf } from "../read/accessible_names.ts";
import { all, attr, everywhere, nearest, tagOf, textOf } from "../read/nodes.ts";
import { line } from "../read/page_text.ts";

export interface Fact {
  name: string;
  value: string;
}

/** The schema.org types that the page claims, in lower case. */
export interface Claims {
  types: string[];
  facts: Fact[];
}

const MOST_FACTS = 40;
const MOST_JSON = 200_000;
const MOST_THINGS = 30;

/** Keys of schema.org that are useful to a reader. */
const FACT_KEYS = new Set(
  `
  name headline description brand author datePublished dateModified startDate endDate location price lowPrice
  highPrice priceCurrency availability ratingValue reviewCount ratingCount sku isbn telephone email address
  openingHours streetAddress addressLocality postalCode recipeYield totalTime cookTime jobTitle hiringOrganization
  baseSalary duration publisher
`
    .trim()
    .split(/\s+/),
);
const WORDLESS = /^https?:\/\/schema\.org\//;

/** All JSON-LD of a page, in order; what is not JSON is left out. */
export function linkedData(top: Document): unknown[] {
  return all(top, 'script[type="application/ld+json" i]')
    .slice(0, 10)
    .flatMap((script) => {
      try {
        return [JSON.parse(textOf(script).slice(0, MOST_JSON)) as unknown];
      } catch {
        return [];
      }
    });
}

export function claimsOf(top: Document): Claims {
  const claims: Claims = { types: [], facts: [] };
  for (const data of linkedData(top)) linked(data, claims);
  microdata(top, claims);
  for (const meta of all(top, "meta[property],meta[name]").slice(0, 200)) {
    const name = (attr(meta, "property") ?? attr(meta, "name") ?? "").toLowerCase();
    if (name === "og:type") claims.types.push(line(attr(meta, "content")).toLowerCase());
    const said =
      /^(description|author|keywords|og:(site_name|description|price:amount|price:currency)|product:price:(amount|currency)|article:(author|published_time))$/.test(
        name,
      );
    if (said && !isMasked(meta)) add(claims, name, attr(meta, "content"));
  }
  return claims;
}

function add(claims: Claims, name: string, value: unknown): void {
  const text = line(
    typeof value === "string" || typeof value === "number" ? String(value).replace(WORDLESS, "") : "",
    300,
  );
  const known = claims.facts.some((fact) => fact.name === name && fact.value === text);
  if (text && !known && claims.facts.length < MOST_FACTS) claims.facts.push({ name, value: text });
}

function linked(data: unknown, claims: Claims): void {
  const waiting: { thing: unknown; path: string }[] = [{ thing: data, path: "" }];
  for (let seen = 0; waiting.length > 0 && seen < 500; seen += 1) {
    const { thing, path } = waiting.shift() as { thing: unknown; path: string };
    if (Array.isArray(thing)) {
      waiting.push(...thing.slice(0, MOST_THINGS).map((item) => ({ thing: item as unknown, path })));
    } else if (typeof thing === "object" && thing !== null) {
      const entries = Object.entries(thing);
      const own = [(thing as { "@type"?: unknown })["@type"]]
        .flat()
        .filter((type) => typeof type === "string");
      if (!path) claims.types.push(...own.map((type) => type.toLowerCase()));
      const prefix = path || (own[0] ? `${own[0]}` : "");
      for (const [key, value] of entries.slice(0, 100)) {
        if (key === "@graph") waiting.push({ thing: value, path: "" });
        else if (typeof value === "object") waiting.push({ thing: value, path: `${prefix}.${key}`.slice(0, 80) });
        else if (FACT_KEYS.has(key)) add(claims, `${prefix}.${key}`.replace(/^\./, ""), value);
      }
    }
  }
}

function microdata(top: Document, claims: Claims): void {
  const scopes = everywhere(top, "[itemscope][itemtype]").slice(0, MOST_THINGS);
  const typeOf = (scope: Element): string => (attr(scope, "itemtype") ?? "").split("/").at(-1) ?? "";
  for (const scope of scopes) {
    if (!nearest(scope.parentElement ?? scope, "[itemscope]") || !scope.parentElement?.closest("[itemscope]"))
      claims.types.push(typeOf(scope).toLowerCase());
    for (const property of all(scope, "[itemprop]").slice(0, 50)) {
      const key = attr(property, "itemprop") ?? "";
      if (!FACT_KEYS.has(key) || nearest(property.parentElement ?? property, "[itemscope]") !== scope) continue;
      const value = isMasked(property)
        ? HIDDEN
        : (attr(property, "content") ??
          attr(property, "datetime") ??
          (tagOf(property) === "link" ? attr(property, "href") : wordsOf(property)));
      add(claims, `${typeOf(scope)}.${key}`, value);
    }
  }
}

const MONEY =
  /(?:[€£$¥₹]|\b(?:EUR|USD|GBP|CHF|JPY)) ?\d{1,3}(?:[.,  ]?\d{3}){0,3}(?:[.,]\d{2})?(?!\d)|\b\d{1,3}(?:[.,  ]?\d{3}){0,3}(?:[.,]\d{2})? ?(?:[€£]|EUR\b|USD\b|GBP\b|CHF\b|kr\b|zł)/g;

/** Amounts of money in a text, each once, in order. */
export function pricesIn(text: string): string[] {
  return [...new Set(text.slice(0, 50_000).match(MONEY) ?? [])].slice(0, 50);
}
