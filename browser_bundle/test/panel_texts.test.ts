/** The texts of the panel: each language has all of them, and the panel uses all. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { currentTexts, fill } from "../src/panel/panel_texts.ts";

const ENGLISH: Record<string, unknown> = currentTexts();
const FOLDER = "src/panel";
const LANGUAGES = ["de", "fr", "es", "ar"];

type Text = string | Record<string, string>;

const read = (language: string) => JSON.parse(readFileSync(`${FOLDER}/texts/${language}.json`, "utf8")) as Record<string, Text>;
const places = (text: string) => new Set(text.match(/\{\w+\}/g) ?? []);
const formsOf = (text: Text) => (typeof text === "string" ? [text] : Object.values(text));

test("there is a file for each language, and no other", () => {
  assert.deepEqual(readdirSync(`${FOLDER}/texts`).toSorted(), LANGUAGES.map((code) => `${code}.json`).toSorted());
});

for (const language of LANGUAGES) {
  const texts = read(language);

  test(`${language} has every text, and no other`, () => {
    assert.deepEqual(Object.keys(texts).toSorted(), Object.keys(ENGLISH).toSorted());
  });

  test(`${language} has the places of the English texts`, () => {
    for (const [key, text] of Object.entries(texts)) {
      const [wanted = ""] = formsOf(ENGLISH[key] as Text).slice(-1);
      const [own = ""] = formsOf(text).slice(-1);
      assert.deepEqual(places(own), places(wanted), key);
      for (const form of formsOf(text)) assert.ok([...places(form)].every((place) => places(own).has(place)), key);
    }
  });

  test(`${language} has a form for each kind of number`, () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const [key, text] of Object.entries(texts)) {
      assert.equal(typeof text, typeof ENGLISH[key], key);
      if (typeof text === "object") assert.deepEqual(Object.keys(text).toSorted(), categories, key);
    }
  });
}

test("the panel uses every text", () => {
  const code = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".ts") && name !== "panel_texts.ts")
    .map((name) => readFileSync(`${FOLDER}/${name}`, "utf8"))
    .join("\n");
  const words = new Set(code.match(/\w+/g));
  const made = [...code.matchAll(/`(\w+_)\$\{/g)].map(([, beginning]) => beginning as string);
  const unused = Object.keys(ENGLISH).filter((key) => !words.has(key) && !made.some((beginning) => key.startsWith(beginning)));
  // Parts of a text with hidden characters have these names.
  assert.deepEqual(unused, ["blank_lines", "spaces", "accents"]);
});

test("the launcher has the text that opens the panel", () => {
  const launcher = readFileSync(`${FOLDER}/launcher.ts`, "utf8");
  for (const language of LANGUAGES) assert.ok(launcher.includes(`${language}: "${String(read(language)["open"])}"`), language);
});

test("a number decides the form, and is written as in the language", () => {
  const texts = currentTexts();
  assert.equal(fill(texts.items, { count: 1 }), "1 item");
  assert.equal(fill(texts.items, { count: 12_345 }), "12,345 items");
  assert.equal(fill("{a} {b} {c}", { a: "{b}", b: 2 }), "{b} 2 {c}");
});
