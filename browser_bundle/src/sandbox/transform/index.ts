/** Turns a model's program into the body of an async function. */
import { parse } from "@babel/parser";
import { WebagentError } from "../../base/errors.ts";
import { returnLast } from "./return_value.ts";
import type { Node } from "./syntax_nodes.ts";
import { Edits, placeAt, type Place } from "./text_edits.ts";
import { NotOnlyTypes, TypeStripper } from "./type_stripper.ts";

/** A program as JavaScript, and a map of its places to those of the original. */
export interface Transformed {
  code: string;
  placeOf: (line: number, column: number) => Place;
}

/**
 * Strip types, allow `await` and `return` at the top, return the last expression's value.
 *
 * @throws WebagentError `syntax_error` with line and column.
 */
export function transform(source: string): Transformed {
  const text = withoutFence(source);
  const edits = new Edits(text);
  const program = parsed(text);
  returnLast(program, edits);
  try {
    new TypeStripper(text, edits).strip(program);
  } catch (thrown) {
    if (thrown instanceof NotOnlyTypes) throw syntaxError(text, thrown.offset, thrown.message);
    throw thrown;
  }
  return edits.apply();
}

function parsed(text: string): Node {
  try {
    const file = parse(text, {
      sourceType: "script",
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
      createParenthesizedExpressions: false,
      attachComment: false,
      plugins: ["typescript", "explicitResourceManagement"],
    });
    return file.program as unknown as Node;
  } catch (thrown) {
    const { message, pos = 0, code } = thrown as { message: string; pos?: number; code?: string };
    if (code === "BABEL_PARSER_SOURCETYPE_MODULE_REQUIRED") {
      const what = "`import` and `export` have no meaning in a program";
      throw syntaxError(text, pos, what, "call the tools of `global`; nothing else can be loaded");
    }
    throw syntaxError(text, pos, message.replace(/ ?\(\d+:\d+\)$/, ""));
  }
}

function syntaxError(text: string, offset: number, what: string, help?: string): WebagentError {
  const { line, column } = placeAt(text, offset);
  return new WebagentError({
    kind: "syntax_error",
    message: `the program does not parse: ${what} (line ${line}, column ${column})`,
    help: help ?? "correct it and run it again; nothing of it ran",
  });
}

/** The first line of a fence around the whole program, as models often write one. */
const FENCE = /^(?:```|~~~)[\w-]*$/;

function withoutFence(source: string): string {
  const start = source.length - source.trimStart().length;
  const end = source.trimEnd().length;
  const opened = source.indexOf("\n", start);
  const closing = source.lastIndexOf("\n", end - 1) + 1;
  if (opened < 0 || closing <= opened) return source;
  const opening = source.slice(start, opened).trim();
  const mark = opening.slice(0, 3);
  if (!FENCE.test(opening) || source.slice(closing, end).trim() !== mark) return source;
  const blank = (part: string) => part.replace(/[^\n\r]/g, " ");
  return blank(source.slice(0, opened)) + source.slice(opened, closing) + blank(source.slice(closing));
}
