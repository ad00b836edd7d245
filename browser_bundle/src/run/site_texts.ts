/**
 * `texts.js`: texts in the language of the page. The panel loads it where that is not English, or where the
 * site has texts of its own: in a file that a meta tag names, or in `webagentTexts`.
 */

declare global {
  /** Texts of the site: the panel's by their keys, those of the agent under `agent`. */
  var webagentTexts: Record<string, unknown> | undefined;
}

/** A text with a form for each kind of number that the language tells apart; `{count}` decides. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

type Table = Record<string, string | Forms>;

/** The languages of `panel/texts`. */
const TRANSLATED = ["de", "fr", "es", "ar"];

/** The language of the page as a tag: `de-AT`; English if the page names none. */
export function pageLanguage(): string {
  return document.documentElement.lang || "en";
}

/** The tag that names the file of the site. */
const FILE = "meta[name=webagent-texts]";

/** Whether the page is in English, and its site has no texts of its own. */
export function isPlainEnglish(): boolean {
  return /^(en|$)/.test(document.documentElement.lang) && !globalThis.webagentTexts && !document.querySelector(FILE);
}

/** Texts of a table, and what elements that show them are given. */
export interface Translation<Texts> {
  texts: Texts;
  /** For numbers. */
  locale: string;
  attributes: { lang: string; dir: string };
}

/** A table of English texts in the language of the page, with those of its site. */
export async function translated<Texts extends Table>(english: Texts): Promise<Translation<Texts>> {
  const language = supported(pageLanguage());
  const [code = ""] = language.split("-");
  const file = new URL(`texts/${code}.json`, import.meta.url);
  const tables = await Promise.all([TRANSLATED.includes(code) ? readTexts(file) : {}, siteTexts()]);
  const texts = tables.reduce<Table>(merged, english) as Texts;
  const locale = texts === english ? "en" : language;
  // A page may say its language and forget its direction.
  const dir = /^(ar|fa|he|ur)\b/.test(locale) ? "rtl" : "";
  return { texts, locale, attributes: { lang: locale.replace(/-u-.*/, ""), dir } };
}

let read: Promise<Record<string, unknown>> | undefined;

/** All texts that the site gives, those of its script first. They are not checked. */
export async function siteTexts(): Promise<Record<string, unknown>> {
  const named = document.querySelector<HTMLMetaElement>(FILE)?.content;
  const texts = named ? await (read ??= readTexts(new URL(named, document.baseURI))) : {};
  return { ...texts, ...globalThis.webagentTexts };
}

/** The texts of a file; an empty table if it cannot be read, which the console reports. */
async function readTexts(url: URL): Promise<Record<string, unknown>> {
  try {
    // The words of requests are the site's own, or ours next to this script.
    if (![location.origin, new URL(import.meta.url).origin].includes(url.origin)) throw new Error("it is of another origin");
    const response = await fetch(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  } catch (thrown) {
    console.warn(`webagent: the texts of ${url.href} cannot be read - ${String(thrown)}`);
    return {};
  }
}

/** The texts with those of another table; what is not a text is left out. */
function merged(base: Table, given: Record<string, unknown>): Table {
  const entries = Object.entries(base).map(([key, text]): [string, string | Forms] => {
    const other = Object.hasOwn(given, key) ? given[key] : undefined;
    if (typeof other === "string") return [key, typeof text === "string" ? other : { other }];
    return [key, typeof text === "object" && isForms(other) ? other : text];
  });
  return entries.some(([key, text]) => text !== base[key]) ? Object.fromEntries(entries) : base;
}

function isForms(value: unknown): value is Forms {
  return typeof value === "object" && value !== null && "other" in value && Object.values(value).every((text) => typeof text === "string");
}

/** A tag that the browser knows, as `lang` may hold anything. Digits are Western ones, as in the site's own values. */
function supported(tag: string): string {
  try {
    return Intl.PluralRules.supportedLocalesOf(`${tag}-u-nu-latn`)[0] ?? "en";
  } catch {
    return "en";
  }
}
