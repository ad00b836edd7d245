/** A text is shown as what it is: invisible characters, blank lines, and letters that pass for others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { named, partsOf, type Part } from "../src/ui/text_parts.ts";

/** Parts as a person reads them. */
function read(text: string): string {
  return partsOf(text).map(word).join("");
}

function word(part: Part): string {
  if (typeof part === "string") return part;
  if (part.kind === "hidden") return named(part.text);
  return part.kind === "lookalike" ? `[${part.letter.letter} ${part.letter.script}]` : `[${part.count} ${part.kind}]`;
}

test("characters that turn or hide text are named", () => {
  assert.equal(read("\u202e0001"), "⟨202E⟩0001");
  assert.equal(read("a\u0007b\u200bc\u2066d\u00ade\ufefff"), "a⟨0007⟩b⟨200B⟩c⟨2066⟩d⟨00AD⟩e⟨FEFF⟩f");
  assert.equal(read("x\u{e0041}\u{e0042}"), "x⟨E0041⟩⟨E0042⟩");
  assert.equal(read("\ud800"), "⟨D800⟩");
  assert.equal(read("pa\u200dy"), "pa⟨200D⟩y");
  assert.equal(read("a\ufe0f\ufe0eb"), "a⟨FE0F⟩⟨FE0E⟩b");
  assert.equal(read("1\ufe0f0\ufe0f"), "1⟨FE0F⟩0⟨FE0F⟩");
  assert.equal(read("é\u200dé\ufe0ex\u200c"), "é⟨200D⟩é⟨FE0E⟩x⟨200C⟩");
  assert.equal(read("a\ue000b"), "a⟨E000⟩b");
  assert.equal(read("\u2800amount"), "⟨2800⟩amount");
});

test("what belongs to a script or an emoji stays", () => {
  for (const plain of ["Grüße, 書籍 مرحبا e\u0301\tx\ny", "👩‍👩‍👧 ❤️ ❤️‍🔥 1️⃣", "می‌خواهم", "क्‍ष", "☎︎ ℹ️ ®️", "葛︀", "a\n\n\nb", "10 μm"]) {
    assert.deepEqual(partsOf(plain), [plain]);
  }
});

test("blank lines that would push text out of sight are counted", () => {
  assert.equal(read(`a${"\n".repeat(700)}amount`), "a\n\n[698 blank_lines]\namount");
  assert.equal(read(`a${"\r\n \t".repeat(10)}b`), "a\n\n[8 blank_lines]\nb");
  assert.equal(read(`a${"\n\u200b".repeat(10)}b`), "a\n\n[8 blank_lines]\nb");
  assert.equal(read("\n".repeat(9) + "b"), "\n\n[8 blank_lines]\nb");
  assert.equal(read(`a${"\u2028".repeat(9)}b`), "a\n\n[7 blank_lines]\nb");
});

test("spaces that would push text out of sight are counted", () => {
  assert.equal(read(`a${" ".repeat(5000)}b`), "a [4999 spaces] b");
  assert.equal(read(`a${"\u00a0".repeat(5000)}b`), "a [4999 spaces] b");
  assert.equal(read(`a${"\u3164".repeat(5000)}b`), "a [4999 spaces] b");
});

test("accents that would cover other lines are counted", () => {
  assert.equal(read(`a${"\u0301".repeat(500)}b`), `a${"\u0301".repeat(4)}[496 accents]b`);
});

test("a letter of another script in a Latin word is marked", () => {
  assert.equal(read("pаy now"), "p[а Cyrl]y now");
  assert.equal(read("поиск and pay"), "поиск and pay");
  const [, mark] = partsOf("pаy");
  assert.deepEqual(mark, {
    kind: "lookalike",
    letter: { word: "pаy", place: 2, at: 1, letter: "а", script: "Cyrl" },
  });
});

test("a text is read in proportion to its length", () => {
  for (const piece of [" ", "\n", "a", "\u200d", "\u0301", "а", "aа", "\ud800", "\u202e ", "a\n"]) {
    const started = performance.now();
    partsOf(piece.repeat(100_000));
    assert.ok(performance.now() - started < 3000, JSON.stringify(piece));
  }
});
