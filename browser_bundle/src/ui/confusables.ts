/**
 * Letters that look like others, and words that mix scripts.
 *
 * Python's half is `core/webagent/confusables.py`; a test compares the two tables.
 */

/** Letters followed by what they look like in ASCII. */
const PAIRS =
  "аa еe кk оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ѵv ӏl үy " +
  "АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ЅS ІI ЈJ ԌG ԚQ ԜW ѴV ҮY ӀI " +
  "αa γy ιi κk νv οo ρp σo υu ϲc ϳj ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ " +
  "օo ոn սu հh զq ցg յj ՕO ՏS ՍU ԼL " +
  "ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᎳW ᏃZ Ꭵi " +
  "ıi ȷj ɑa ɡg ſf ɩi ʋv ɯw ᴄc ᴏo ᴜu ᴠv ᴡw ᴢz ꜱs ƖI ǀl";
/** The letters of the table. */
const LETTERS = /* @__PURE__ */ (() => new Set(PAIRS.split(" ").map((pair) => pair.charAt(0))))();

/** Scripts whose letters pass for Latin ones; of Greek only the letters above, as `μm` and `kΩ` are units. */
const SCRIPTS = /* @__PURE__ */ ["Cyrl", "Grek", "Armn", "Cher", "Copt", "Lisu"].map(
  (code) => [code, new RegExp(`\\p{Script=${code}}`, "u")] as const,
);
const LATIN = /\p{Script=Latin}/u;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** A letter that passes for a Latin one. */
export interface Lookalike {
  word: string;
  /** Its place in the word, from 1. */
  place: number;
  /** Where it is in the text. */
  at: number;
  letter: string;
  /** ISO 15924 code: `Cyrl`. */
  script: string;
}

/** The letters that are not Latin, in words that mix them with Latin ones. */
export function lookalikes(text: string): Lookalike[] {
  // Most texts are ASCII, or have no word of two scripts.
  if (!/[^\x00-\u024f]/.test(text)) return [];
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => (LATIN.test(word) ? lettersOf(word, index) : []));
}

function lettersOf(word: string, start: number): Lookalike[] {
  const found: Lookalike[] = [];
  let at = start;
  let place = 0;
  for (const letter of word) {
    place++;
    const script = SCRIPTS.find(([, letters]) => letters.test(letter))?.[0];
    if (script && (script !== "Grek" || LETTERS.has(letter))) found.push({ word, place, at, letter, script });
    at += letter.length;
  }
  return found;
}
