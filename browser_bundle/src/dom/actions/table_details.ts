/** Tables as data: `<table>`, ARIA tables and grids, and description lists. */
import { HIDDEN, isIgnored, isMasked } from "../../base/agent_access.ts";
import { nameOf, wordsOf } from "../read/accessible_names.ts";
import { all, attr, everywhere, has, is, isInside, nearest, query, tagOf, typeOf, valueOfText } from "../read/nodes.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { invalidArguments } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";

interface Table {
  pp_id: number;
  caption: string;
  headers: string[];
  rows: string[][];
  /** Number of rows, if not all are returned. */
  total_rows?: number;
}

const MOST_TABLES = 30;
const MOST_ROWS = 200;
const MOST_COLUMNS = 60;
const MOST_CHARS = 400;
const TABLES = "table,[role=table],[role=grid],[role=treegrid],dl";

export function tableDetails(page: PageState, { pp_id }: { pp_id?: number }): Table[] {
  if (pp_id !== undefined) {
    const element = page.element(pp_id);
    const table = is(element, TABLES) ? element : (nearest(element, TABLES) ?? all(element, TABLES)[0]);
    if (!table)
      throw invalidArguments(
        `${page.show(element)} is not a table and not in one`,
        "leave `pp_id` out for all tables of the page",
        "pp_id",
      );
    return [tableOf(page, table)];
  }
  const found = everywhere(page.top, TABLES).filter((table) => isShown(table) && isData(table));
  return found
    .slice(0, MOST_TABLES)
    .map((table) => tableOf(page, table))
    .filter(({ rows }) => rows.length > 0);
}

/** Whether a table holds data, rather than laying out a page. */
function isData(table: Element): boolean {
  if (/^(presentation|none)$/.test(attr(table, "role") ?? "")) return false;
  if (tagOf(table) !== "table" || has(table, "role")) return true;
  const own = (selector: string): boolean => all(table, selector).some((inner) => nearest(inner, "table") === table);
  return own("th,caption,thead") || !(all(table, "table,form,h1,h2").length > 0);
}

function tableOf(page: PageState, table: Element): Table {
  const { headers, rows, total } = tagOf(table) === "dl" ? terms(table) : grid(table);
  return {
    pp_id: page.numbers.of(table),
    caption: nameOf(table, "table").text || headingOver(table),
    headers,
    rows,
    ...(total > rows.length ? { total_rows: total } : {}),
  };
}

/** The caption of the figure around a table, if the table has none itself. */
function headingOver(table: Element): string {
  const caption = nearest(table, "figure")?.querySelector("figcaption");
  return caption ? wordsOf(caption) : "";
}

interface Grid {
  headers: string[];
  rows: string[][];
  total: number;
}

/** In place of a cell that agents do not see; no text of a page has this character. */
const GONE = "\0";

/** The cells by column; a cell that spans several columns is in each of them. */
function grid(table: Element): Grid {
  const own = (element: Element): boolean => nearest(element.parentElement ?? element, TABLES) === table;
  const trs = all(table, "tr,[role=row]").filter((row) => own(row) && isShown(row) && all(row, "*").length > 0);
  const rows: string[][] = [];
  const heads: string[][] = [];
  /** Cells that span into the next rows: by column, their text and the number of rows left. */
  let reaching = new Map<number, { text: string; left: number }>();
  for (const tr of trs.slice(0, MOST_ROWS + 20)) {
    // A cell that agents do not see keeps its column, unless they see none of the column.
    const cells = query(tr, "td,th,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]").filter(
      (cell) => nearest(cell.parentElement ?? cell, "tr,[role=row]") === tr,
    );
    const row: string[] = [];
    const next = new Map<number, { text: string; left: number }>();
    const fromAbove = (): void => {
      for (let above = reaching.get(row.length); above && row.length < MOST_COLUMNS; above = reaching.get(row.length)) {
        if (above.left > 1) next.set(row.length, { text: above.text, left: above.left - 1 });
        row.push(above.text);
      }
    };
    for (const cell of cells) {
      fromAbove();
      const text = isIgnored(cell) ? GONE : cellText(cell);
      const wide = span(cell, "colspan");
      const high = span(cell, "rowspan");
      for (let i = 0; i < wide && row.length < MOST_COLUMNS; i += 1) {
        if (high > 1) next.set(row.length, { text, left: high - 1 });
        row.push(text);
      }
    }
    fromAbove();
    reaching = next;
    if (cells.length === 0) continue;
    if (isHead(tr, cells, rows.length)) heads.push(row);
    else rows.push(row);
  }
  const lines = [...heads, ...rows];
  const seen = (row: string[]): string[] =>
    row
      .filter((_, column) => lines.some((other) => other[column] !== undefined && other[column] !== GONE))
      .map((text) => (text === GONE ? "" : text));
  return {
    headers: joined(heads.map(seen)),
    rows: rows.slice(0, MOST_ROWS).map(seen),
    total: Math.max(rows.length, trs.length - heads.length),
  };
}

function span(cell: Element, name: string): number {
  const number = Number(attr(cell, name) ?? attr(cell, `aria-${name}`) ?? 1);
  return number >= 1 ? Math.min(Math.floor(number), 1000) : name === "rowspan" && number === 0 ? 1000 : 1;
}

/** Whether a row is a header row. */
function isHead(row: Element, cells: readonly Element[], before: number): boolean {
  if (before > 0) return false;
  if (nearest(row, "thead")) return true;
  const heads = cells.filter(
    (cell) => (tagOf(cell) === "th" && attr(cell, "scope") !== "row") || attr(cell, "role") === "columnheader",
  );
  // The corner above the row headers may be a plain cell.
  const corner = cells[0] && !heads.includes(cells[0]) && tagOf(cells[0]) !== "th" && cells.length > 2 ? 1 : 0;
  return heads.length > 0 && heads.length === cells.length - corner;
}

/** Several header rows as one: `2026 / Sales`. */
function joined(heads: readonly string[][]): string[] {
  const width = Math.max(0, ...heads.map((row) => row.length));
  return [...Array(width).keys()].map((column) =>
    [...new Set(heads.map((row) => row[column] ?? "").filter(Boolean))].join(" / "),
  );
}

/** The words of a cell, without those of a nested table. */
function cellText(cell: Element): string {
  if (all(cell, TABLES).length === 0) {
    const field = all(cell, "input:not([type=hidden i]),select,textarea")[0] as HTMLInputElement | undefined;
    const words = wordsOf(cell, MOST_CHARS);
    return words || !field
      ? words
      : isMasked(field)
        ? field.value && HIDDEN
        : field.type === "checkbox"
        ? field.checked
          ? "yes"
          : "no"
        : line(field.value);
  }
  const texts: string[] = [];
  const walker = cell.ownerDocument.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && texts.length < 500; node = walker.nextNode()) {
    const inner = node.parentElement && nearest(node.parentElement, TABLES);
    if (typeOf(node) === 3 && (!inner || !isInside(inner, cell))) texts.push(valueOfText(node));
  }
  return line(texts.join(" "), MOST_CHARS);
}

/** The terms of a description list and their descriptions. */
function terms(list: Element): Grid {
  const rows: string[][] = [];
  let term: string[] = [];
  let described = true;
  for (const item of all(list, "dt,dd").filter((one) => nearest(one, "dl") === list)) {
    if (tagOf(item) === "dt") {
      term = described ? [wordsOf(item, MOST_CHARS)] : [...term, wordsOf(item, MOST_CHARS)];
      described = false;
    } else {
      rows.push([term.join(", "), wordsOf(item, MOST_CHARS)]);
      described = true;
    }
  }
  return { headers: [], rows: rows.slice(0, MOST_ROWS), total: rows.length };
}
