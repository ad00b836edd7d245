/** Removes TypeScript's syntax from a program; the remaining JavaScript keeps its places. */
import { child, children, list, type Node } from "./syntax_nodes.ts";
import type { Edits } from "./text_edits.ts";

/** A construct that is more than types, so that removing it would change the program. */
export class NotOnlyTypes extends Error {
  readonly offset: number;

  constructor(what: string, offset: number, instead: string) {
    super(`${what} is not supported, as it is more than types; ${instead}`);
    this.offset = offset;
  }
}

const ENDED_BY_SEMICOLON = new Set([
  "ExpressionStatement",
  "VariableDeclaration",
  "ReturnStatement",
  "ThrowStatement",
  "ClassProperty",
  "ClassPrivateProperty",
]);
const OF_TYPES_ONLY = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "TSDeclareMethod",
  "TSIndexSignature",
]);
const TYPE_PARTS = new Set([
  "TSTypeAnnotation",
  "TSTypeParameterDeclaration",
  "TSTypeParameterInstantiation",
]);
const MODIFIERS = new Set([
  "public",
  "private",
  "protected",
  "readonly",
  "override",
  "abstract",
  "declare",
]);
/** Comments and modifiers, which may come before the name of a class member. */
const BEFORE_NAME = /\/\*[^]*?\*\/|\/\/[^\n]*|[a-z]+/g;
const COMMENTS = /\/\*[^]*?\*\/|\/\/[^\n]*/g;

export class TypeStripper {
  #source: string;
  #edits: Edits;
  /** Ends of statements without a semicolon: the next line must not join them. */
  #open = new Set<number>();

  constructor(source: string, edits: Edits) {
    this.#source = source;
    this.#edits = edits;
  }

  /**
   * Remove the types from a node and all nodes below it.
   *
   * @throws NotOnlyTypes
   */
  strip(node: Node): void {
    if (OF_TYPES_ONLY.has(node.type) || node["declare"] === true) {
      this.#edits.blank(node.start, node.end, ";");
      return;
    }
    if (TYPE_PARTS.has(node.type)) {
      this.#blankEnd(node.start, node.end);
      return;
    }
    const closed = this.#source[node.end - 1] === ";" || this.#edits.hasInsertion(node.end);
    if (ENDED_BY_SEMICOLON.has(node.type) && !closed) this.#open.add(node.end);
    switch (node.type) {
      case "TSEnumDeclaration":
        throw new NotOnlyTypes("`enum`", node.start, "write an object: `const Size = { S: 0 }`");
      case "TSModuleDeclaration":
        throw new NotOnlyTypes("`namespace`", node.start, "write an object");
      case "TSParameterProperty":
        throw new NotOnlyTypes(
          "a parameter that is a property",
          node.start,
          "declare the field, and assign it in the constructor",
        );
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
      case "TSInstantiationExpression":
        this.#stripExpression(node);
        return;
      case "Identifier":
      case "VariableDeclarator":
        this.#stripMark(node);
        break;
      case "ClassDeclaration":
      case "ClassExpression":
        this.#stripClass(node);
        break;
      case "ClassProperty":
      case "ClassPrivateProperty":
      case "ClassAccessorProperty":
      case "ClassMethod":
      case "ClassPrivateMethod":
        if (node["abstract"] === true) {
          this.#edits.blank(node.start, node.end, ";");
          return;
        }
        this.#stripMember(node);
        break;
      case "ArrowFunctionExpression":
        this.#keepArrow(node);
        break;
    }
    if (Array.isArray(node["params"])) this.#stripThis(node);
    for (const below of children(node)) this.strip(below);
  }

  /** Blank all of `x as T`, `x!`, `<T>x` and `f<T>` except the expression. */
  #stripExpression(node: Node): void {
    const inner = child(node, "expression");
    if (!inner) return;
    this.#edits.blank(node.start, this.#openingsBefore(inner, node.start));
    const type = child(node, "typeAnnotation") ?? child(node, "typeParameters");
    const to = type && type.start > inner.end ? type.start : node.end;
    this.#blankEnd(this.#closingsAfter(inner, to), node.end);
    this.strip(inner);
  }

  /** How far parentheses open before an expression; they are not part of its node. */
  #openingsBefore(inner: Node, from: number): number {
    const { parenthesized, parenStart } = parentheses(inner);
    return parenthesized ? Math.max(from, parenStart) : inner.start;
  }

  #closingsAfter(inner: Node, to: number): number {
    if (!parentheses(inner).parenthesized) return inner.end;
    const rest = hideComments(this.#source.slice(inner.end, to));
    const close = rest.lastIndexOf(")");
    return close < 0 ? inner.end : inner.end + close + 1;
  }

  /** Blank what may end a statement; if it does, keep the next line from joining the statement. */
  #blankEnd(start: number, end: number): void {
    this.#edits.blank(start, end, this.#open.has(end) ? ";" : "");
  }

  /** The `?` of an optional parameter, the `!` of a variable that is set elsewhere. */
  #stripMark(node: Node): void {
    const name = node.type === "VariableDeclarator" ? child(node, "id") : node;
    if (!name || (node["optional"] !== true && node["definite"] !== true)) return;
    const from = name.start + String(name["name"] ?? "").length;
    this.#blankMark(from, child(name, "typeAnnotation")?.start ?? node.end);
  }

  #blankMark(from: number, to: number): void {
    const mark = hideComments(this.#source.slice(from, to)).search(/[?!]/);
    if (mark >= 0) this.#edits.blank(from + mark, from + mark + 1);
  }

  #stripClass(node: Node): void {
    const body = child(node, "body");
    if (!body) return;
    if (node["abstract"] === true) this.#blankModifiers(node.start, body.start, true);
    const [first] = list(node, "implements");
    if (!first) return;
    const after = child(node, "superClass") ?? child(node, "typeParameters") ?? child(node, "id");
    const from = after?.end ?? node.start;
    const head = hideComments(this.#source.slice(from, first.start));
    this.#edits.blank(from + head.lastIndexOf("implements"), body.start);
  }

  #stripMember(node: Node): void {
    const key = child(node, "key");
    if (!key) return;
    const from = list(node, "decorators").at(-1)?.end ?? node.start;
    this.#blankModifiers(from, key.start, false);
    if (node["optional"] !== true && node["definite"] !== true) return;
    const next = child(node, "typeAnnotation") ?? child(node, "typeParameters");
    const paren = this.#source.indexOf("(", key.end);
    const end = node.type.endsWith("Method") && paren >= 0 ? paren : node.end;
    this.#blankMark(key.end, next?.start ?? child(node, "value")?.start ?? end);
  }

  #blankModifiers(from: number, to: number, once: boolean): void {
    const head = this.#source.slice(from, to);
    // A computed name, or a generator, would continue the field before it.
    const joins = /[[*]\s*$/.test(head) && !once;
    for (const match of head.matchAll(BEFORE_NAME)) {
      const [word] = match;
      if (!MODIFIERS.has(word)) continue;
      const start = from + match.index;
      const leads = joins && !head.slice(0, match.index).trim();
      this.#edits.blank(start, start + word.length, leads ? ";" : "");
      if (once) return;
    }
  }

  /** Blank the parameter `this`, which only declares a type. */
  #stripThis(node: Node): void {
    const [first, second] = list(node, "params");
    if (first?.type !== "Identifier" || first["name"] !== "this") return;
    const comma = hideComments(this.#source.slice(first.end, second?.start ?? node.end)).search(/\S/);
    const has = comma >= 0 && this.#source[first.end + comma] === ",";
    this.#edits.blank(first.start, has ? first.end + comma + 1 : first.end);
  }

  /** An arrow must be on the line of its `)`, wherever the type between them ends. */
  #keepArrow(node: Node): void {
    const type = child(node, "returnType");
    if (!type || !this.#edits.breaks(type.start, type.end)) return;
    const before = hideComments(this.#source.slice(node.start, type.start));
    const close = node.start + before.lastIndexOf(")");
    this.#edits.blank(close, type.end, "", ")");
  }
}

function parentheses(node: Node): { parenthesized: boolean; parenStart: number } {
  const extra = node["extra"] as { parenthesized?: boolean; parenStart?: number } | undefined;
  return { parenthesized: extra?.parenthesized === true, parenStart: extra?.parenStart ?? 0 };
}

/** A text of the same length without its comments. */
function hideComments(text: string): string {
  return text.replace(COMMENTS, (comment) => " ".repeat(comment.length));
}
