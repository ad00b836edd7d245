import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebagentError } from "../src/base/errors.ts";
import { transform } from "../src/sandbox/transform/index.ts";

/** The value of a program, run as the body of an async function. */
async function valueOf(source: string): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (code: string) => () => Promise<unknown>;
  return new AsyncFunction(`{\n${transform(source).code}\n}`)();
}

function refusal(source: string): WebagentError {
  try {
    transform(source);
  } catch (thrown) {
    return thrown as WebagentError;
  }
  return assert.fail("it was not refused");
}

const VALUES: [fact: string, source: string, value: unknown][] = [
  ["the last expression is the value", "const a = 1;\na + 1", 2],
  ["a semicolon and a comment may follow it", "1 + 1; // done", 2],
  ["parentheses around it are kept", "(1, 2)", 2],
  ["a text alone is an expression", "'hello'", "hello"],
  ["a program with a return gives what it returns", "if (false) return 1;\n2", undefined],
  ["returns of inner functions do not count", "const f = () => { return 1 };\nf() + 1", 2],
  ["a branch gives its last expression", "if (true) { 1 } else 2", 1],
  ["a block that tries gives its last expression", "try { null.x } catch (e: unknown) { 'caught' }", "caught"],
  ["a declaration has no value", "const a = 1", undefined],
  ["nothing has no value", "", undefined],
  ["await stands at the top", "await Promise.resolve(3)", 3],
  ["a function alone is called", "async () => { return 4 }", 4],
  ["a fence round the whole is left out", "```ts\nconst a: number = 5;\na\n```", 5],
  ["`global` may be declared", "const global = 6; global", 6],
  ["types of variables and parameters go", "const f = (a: number, b?: string): number => a; f(1)", 1],
  ["the type of what is caught goes", "try { throw 1 } catch (e: any) { e }", 1],
  ["assertions go", "(({ a: 1 } as any)!.a satisfies number) as unknown as string", 1],
  ["old assertions go", "<number>(<any>7)", 7],
  ["type arguments go", "new Map<string, Array<number>>([['a', [1]]]).size", 1],
  ["interfaces and aliases go", "interface P { id: string }\ntype Q = P | null\n;[8][0]", 8],
  ["declarations go", "declare const global: { a(): void };\ndeclare function f(): void;\n9", 9],
  ["overloads go", "function f(a: string): string;\nfunction f(a: any) { return a }\nf(1)", 1],
  ["a type over several lines keeps its arrow", "const f = (a: number): Array<\n  number\n> => [a];\nf(1)[0]", 1],
  ["a line after a type is not taken for a call", "const f = 1\nlet a = f as any\n;(2)", 2],
  ["an assertion at the end of a line ends it", "let a = [1] as number[]\n[0].length", 1],
  ["the parameter `this` goes", "function f(this: { a: number }, b: number) { return this.a + b }\nf.call({ a: 1 }, 2)", 3],
  [
    "the types of a class go",
    `abstract class A<T> { protected abstract f(): T; [key: string]: any }
     class B extends A<number> implements Iterable<number> {
       private readonly x?: number = 1
       public ["y"]: number = 2
       declare z: number;
       static #s!: string
       override f(): number { return this.x! + this.y }
       *[Symbol.iterator]() { yield this.f() }
     }
     [...new B()][0]`,
    3,
  ],
  ["generic arrow functions work", "const id = <T,>(a: T): T => a; id<number>(1)", 1],
  ["predicates go", "function f(a: unknown): a is string { return true }\nf(1)", true],
  ["optional calls keep their mark", "const o: any = null; o?.a?.(1) ?? 10", 10],
  ["a ternary is no optional parameter", "const a = true ? (1) : 2; a", 1],
];

for (const [fact, source, value] of VALUES) {
  test(fact, async () => assert.deepEqual(await valueOf(source), value));
}

const REFUSED: [fact: string, source: string, line: number, column: number, words: RegExp][] = [
  ["what does not parse", "const a = 1;\n  a +* 2", 2, 6, /Unexpected token/],
  ["an open brace", "return {", 1, 9, /Unexpected token/],
  ["code that closes what is around it", "return 1 })(), (async () => { return 2", 1, 10, /Unexpected/],
  ["an import", "\nimport x from 'y'", 2, 1, /`import` and `export`/],
  ["an export", "const a = 1;\nexport { a }", 2, 1, /`import` and `export`/],
  ["an enum", "enum Size { S }", 1, 1, /`enum` is not supported/],
  ["a namespace", "1;\nnamespace N { const a = 1 }", 2, 1, /`namespace` is not supported/],
  ["a property that is a parameter", "class A { constructor(private x: number) {} }", 1, 23, /parameter/],
  ["a mistake after an emoji", "'🧡' +* 1", 1, 6, /Unexpected token/],
  ["a mistake in a fence", "```js\n  a +* 2\n```", 2, 6, /./],
];

for (const [fact, source, line, column, words] of REFUSED) {
  test(`${fact} is refused with its place`, () => {
    const error = refusal(source);
    assert.equal(error.kind, "syntax_error");
    assert.match(error.message, words);
    assert.ok(error.message.endsWith(`(line ${line}, column ${column})`), error.message);
  });
}

test("stripping keeps every line and column", () => {
  const source = "interface A {\n  a: string\n}\r\nconst f = (a: A, b?: number) =>\u2028 a as any; f";
  const { code } = transform(source);
  const lines = (text: string) => text.split(/\r\n|[\n\u2028]/);
  assert.equal(lines(code).length, lines(source).length);
  assert.equal(lines(code)[4]?.indexOf("a"), lines(source)[4]?.indexOf("a"));
});

test("places map back to the source, also in the line with an added return", () => {
  const { code, placeOf } = transform("const a = 1;\n  a.b.c()");
  const column = code.split("\n")[1]?.indexOf("c()") ?? 0;
  assert.deepEqual(placeOf(2, column + 1), { line: 2, column: 7 });
});

test("a long hostile program is transformed in a moment", () => {
  for (const piece of ["`".repeat(3) + "\n", "a as any\n", "(", "<", "/*", "x?:", "{a:"]) {
    const source = piece.repeat(20_000);
    const started = process.cpuUsage();
    try {
      transform(source);
    } catch {
      // Most of these do not parse.
    }
    assert.ok(process.cpuUsage(started).user < 5e6, piece);
  }
});
