// A table of any length: only the rows that are seen exist on the page, and they come when needed.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Column } from "./api";
import { visible } from "./visible";

/** `column`: where the filter looks; empty is everywhere. */
export interface Order { sort: string; descending: boolean; filter: string; column: string }
export interface Rows { columns: Column[]; matching: number; rows: unknown[][]; offset: number }
export type RowSource = (order: Order, offset: number, limit: number) => Promise<Rows>;

const ROW = 28; // pixels; the same in the style sheet
const NAME = 36, FACT = 19; // pixels of a column's head: its name, and each fact below it
const PAGE = 200; // rows asked for at once
const TALLEST = 16_000_000; // pixels: browsers cannot lay out much more

/** Rows that are here already. */
export function localRows(columns: Column[], rows: unknown[][]): RowSource {
  return async ({ sort, descending, filter, column }, offset, limit) => {
    const only = columns.findIndex((one) => one.name === column);
    const fits = (cell: unknown) => matches(cell, filter);
    let found = filter ? rows.filter((row) => (only >= 0 ? fits(row[only]) : row.some(fits))) : rows;
    const at = columns.findIndex((column) => column.name === sort);
    if (at >= 0) found = [...found].sort((one, other) => (descending ? -1 : 1) * compared(one[at], other[at]));
    return { columns, matching: found.length, rows: found.slice(offset, offset + limit), offset };
  };
}

/** Rows of a variable, sorted and filtered where they are. */
export function variableRows(session: string, name: string): RowSource {
  return (order, offset, limit) =>
    api.table(session, { name, offset, limit, sort: order.sort, descending: order.descending || undefined, filter: order.filter, column: order.column });
}

/** Whether a cell has the text; numbers are compared, as in the kernel: 5, >5, <=5, !=5. */
function matches(cell: unknown, filter: string): boolean {
  if (typeof cell !== "number") return cellText(cell).toLowerCase().includes(filter.toLowerCase());
  const [, sign = "", text = ""] = /^([<>!]=|[<>=])?(.*)$/s.exec(filter)!;
  const number = Number(text);
  if (!text.trim() || Number.isNaN(number)) return false;
  switch (sign) {
    case "<=": return cell <= number;
    case ">=": return cell >= number;
    case "<": return cell < number;
    case ">": return cell > number;
    case "!=": return cell !== number;
    default: return cell === number;
  }
}

function compared(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return 1;
  if (other === null || other === undefined) return -1;
  if (typeof one === "number" && typeof other === "number") return one - other;
  return cellText(one).localeCompare(cellText(other));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(15))); // 0.1 + 0.2 is 0.3
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

export function TableView({ source, note, tall, all }: { source: RowSource; note?: string; tall?: boolean; all?: () => void }) {
  const [order, setOrder] = useState<Order>({ sort: "", descending: false, filter: "", column: "" });
  const [top, setTop] = useState(0);
  const [view, setView] = useState<Rows & { order: Order } | null>(null);
  const [problem, setProblem] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const asked = useRef<Promise<void>>(Promise.resolve());
  const total = view?.matching ?? 0;
  const whole = total * ROW;
  const height = Math.min(whole, TALLEST);
  const head = NAME + FACT * Math.max(1, ...(view?.columns ?? []).map((column) => factsOf(column).length));
  const seen = Math.ceil((scroller.current?.clientHeight ?? 400) / ROW) + 2;
  const room = scroller.current?.clientHeight ?? 400;
  const share = height > room ? top / (height - room) : 0;
  const first = Math.max(0, Math.min(total - seen, Math.floor((whole <= TALLEST ? top / ROW : share * (total - seen)))));
  const wanted = Math.max(0, Math.floor((first - PAGE / 2) / 50) * 50);
  const has = view && view.offset <= first && first + Math.min(seen, total - first) <= view.offset + view.rows.length;

  useEffect(() => {
    let current = true;
    const offset = has ? view.offset : wanted;
    // One after another: of what is typed meanwhile only the last is asked for.
    asked.current = asked.current.then(() => (current ? source(order, offset, PAGE) : null)).then(
      (rows) => { if (current && rows) { setView({ ...rows, order }); setProblem(""); } },
      (error: Error) => { if (current) setProblem(error.message); },
    );
    return () => { current = false; };
  }, [source, order, has ? -1 : wanted]);

  const sortBy = (name: string) => setOrder({ ...order, sort: name, descending: order.sort === name && !order.descending });
  const filterBy = (change: Partial<Order>) => { setOrder({ ...order, ...change }); setTop(0); scroller.current!.scrollTop = 0; };
  const told = view?.order !== order ? "looking…" : order.filter ? `${total.toLocaleString()} rows match` : note;
  const rows = view ? view.rows.slice(Math.max(0, first - view.offset), first - view.offset + seen) : [];
  return (
    <div class={tall ? "table tall" : "table"}>
      <div class="table-bar">
        <input type="search" placeholder="Filter rows" aria-label="Filter rows" value={order.filter}
          title="Text, or for numbers 5, &gt;5, &lt;=5, !=5" onInput={(event) => filterBy({ filter: event.currentTarget.value })} />
        {(order.filter || order.column) && (
          <select aria-label="Where to look" value={order.column} onChange={(event) => filterBy({ column: event.currentTarget.value })}>
            <option value="">in any column</option>
            {view?.columns.map((column) => <option value={column.name}>in {visible(column.name)}</option>)}
          </select>
        )}
        <span class="quiet">{problem || told}</span>
        {all && <button type="button" class="small" onClick={all}>Open all rows</button>}
      </div>
      <div class="table-rows" ref={scroller} style={tall ? undefined : { height: `${Math.min(352, height + head + 8)}px` }} tabIndex={0} role="group" aria-label="Rows" onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div class="table-space" style={{ height: `${height + head}px` }}>
          <table aria-rowcount={total + 1} style={{ transform: `translateY(${whole <= TALLEST ? first * ROW : Math.min(top, height - seen * ROW)}px)` }}>
            <thead>
              <tr>{view?.columns.map((column) => <Head key={column.name} column={column} order={order} sortBy={sortBy} />)}</tr>
            </thead>
            <tbody>
              {rows.map((row, place) => (
                <tr key={first + place} aria-rowindex={first + place + 2}>{row.map((cell) => <Cell cell={cell} />)}</tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </div>
  );
}

/** What is known of a column: its type, and where it was counted, what is in it. */
function factsOf(column: Column): string[] {
  const facts = [visible(column.type)];
  if (column.nulls) facts.push(`${column.nulls.toLocaleString()} empty`);
  if (column.distinct !== undefined && column.distinct !== null) facts.push(`${column.distinct.toLocaleString()} distinct`);
  if (column.min !== undefined && column.min !== null) facts.push(`${visible(cellText(column.min))} … ${visible(cellText(column.max))}`);
  return facts;
}

function Head({ column, order, sortBy }: { column: Column; order: Order; sortBy: (name: string) => void }) {
  const sorted = order.sort === column.name ? (order.descending ? "descending" : "ascending") : "none";
  const facts = factsOf(column);
  return (
    <th scope="col" aria-sort={sorted} class={/^(u?int|float|decimal)/i.test(column.type) ? "number" : undefined}>
      <button type="button" class="bare" onClick={() => sortBy(column.name)} title={facts.join("\n")}>
        {visible(column.name)} <span aria-hidden="true">{sorted === "none" ? "" : order.descending ? "↓" : "↑"}</span>
        {facts.map((fact) => <small>{fact}</small>)}
      </button>
    </th>
  );
}

function Cell({ cell }: { cell: unknown }) {
  if (cell === null || cell === undefined) return <td class="empty">–</td>;
  return <td class={typeof cell === "number" ? "number" : undefined}>{visible(cellText(cell))}</td>;
}
