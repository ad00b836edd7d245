import assert from "node:assert/strict";
import { test } from "node:test";
import { valueFor } from "../src/dom/touch/date_parser.ts";

const CASES: [string, string, string | null][] = [
  ["date", "2027-03-05", "2027-03-05"],
  ["date", "2027/3/5", "2027-03-05"],
  ["date", " 5 March 2027 ", "2027-03-05"],
  ["date", "5th of Sept. 2027", "2027-09-05"],
  ["date", "March 5th, 2027", "2027-03-05"],
  ["date", "Wednesday, 1 May 2027", "2027-05-01"],
  ["date", "5.3.2027", "2027-03-05"],
  ["date", "25/12/2027", "2027-12-25"],
  ["date", "12/25/2027", "2027-12-25"],
  ["date", "07/07/2027", "2027-07-07"],
  ["date", "29 February 2028", "2028-02-29"],
  ["date", "29 February 2027", null],
  ["date", "5/3/2027", null],
  ["date", "5 Marsh 2027", null],
  ["date", "5 March", null],
  ["date", "tomorrow", null],
  ["time", "14:30", "14:30"],
  ["time", "14.30", "14:30"],
  ["time", "9:05:30", "09:05:30"],
  ["time", "2 pm", "14:00"],
  ["time", "12:15 a.m.", "00:15"],
  ["time", "midnight", "00:00"],
  ["time", "2", null],
  ["time", "14:60", null],
  ["time", "13 pm", null],
  ["datetime-local", "2027-03-05T14:30", "2027-03-05T14:30"],
  ["datetime-local", "5 March 2027, 2:30 pm", "2027-03-05T14:30"],
  ["datetime-local", "5 March 2027 at noon", "2027-03-05T12:00"],
  ["datetime-local", "5 March 2027", null],
  ["month", "March 2027", "2027-03"],
  ["month", "3/2027", "2027-03"],
  ["month", "2027-13", null],
  ["week", "2027-W7", "2027-W07"],
  ["week", "week 7", null],
  ["number", "-12.5", "-12.5"],
  ["number", "+3", "3"],
  ["number", "1e3", "1e3"],
  ["number", "1,000", null],
  ["number", "twelve", null],
  ["text", "5/3/2027", "5/3/2027"],
];

for (const [type, text, value] of CASES) {
  test(`\`${text}\` in a field for ${type} is ${value ?? "not clear"}`, () => {
    assert.equal(valueFor(type, text), value);
  });
}
