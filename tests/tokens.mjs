// Reads a JSON list of texts from standard input and writes the number of tokens of each.
import { readFileSync } from "node:fs";
import { encode } from "../browser_bundle/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js";

const texts = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
