import assert from "node:assert/strict";
import { test } from "node:test";
import { html, withTags } from "../dist/bundle.js";

const TAGS = [
  { tag: "meta", attrs: { name: "webagents-md", content: '/a?b&c="<' } },
  { tag: "script", attrs: { src: "/x.js" } },
];
const WRITTEN = '\n    <meta name="webagents-md" content="/a?b&amp;c=&quot;&lt;">\n    <script src="/x.js"></script>';

test("tags are escaped", () => {
  assert.equal(html(TAGS), WRITTEN);
});

for (const [page, place] of [
  ["<!doctype html><html><head><meta charset=utf-8><title>x", "<meta charset=utf-8>"],
  ["<!doctype html><head lang=en><script src=a></script><meta charset=utf-8>", "<head lang=en>"],
  ["<!doctype html><header><p>x", "<!doctype html>"],
  ["<p>x", ""],
]) {
  test(`tags come after ${place || "nothing"} in ${page}`, () => {
    const end = page.indexOf(place) + place.length;
    assert.equal(withTags(page, TAGS), page.slice(0, end) + WRITTEN + page.slice(end));
  });
}
