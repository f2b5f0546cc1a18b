import type { ReactNode, Ref, TdHTMLAttributes } from "react";
import { Ago } from "../../../react/lib/Ago";
import { visible } from "../../../react/lib/misleading";

export interface Column {
  name: string;
  title: string;
  /** Stands before its title. */
  before?: ReactNode;
}

interface Props {
  label: string;
  columns: readonly Column[];
  body?: Ref<HTMLTableSectionElement>;
  children: ReactNode;
}

/**
 * Decisions, open or made, with what each is about first. Where there is no room for columns the cells of a row stand
 * below what it is about. The roles are named because a browser forgets them in a table that is drawn so.
 */
export function DecisionTable({ label, columns, body, children }: Props) {
  return (
    <table className="decisions" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, title, before }) => (
            <th key={name} role="columnheader" scope="col" data-column={name}>
              {before}
              <span>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup">
        {children}
      </tbody>
    </table>
  );
}

export function Cell(props: TdHTMLAttributes<HTMLTableCellElement> & Record<`data-${string}`, string>) {
  return <td role="cell" {...props} />;
}

/** Columns by their names, without those that say nothing. */
export function columnsOf(titles: Readonly<Record<string, string>>, has: Readonly<Partial<Record<string, boolean>>>): Column[] {
  return Object.entries(titles).flatMap(([name, title]) => (has[name] ?? true ? { name, title } : []));
}

/** Whether rows differ in something. */
export function tellsApart<T>(rows: readonly T[], by: (row: T) => string | undefined): boolean {
  return new Set(rows.map(by)).size > 1;
}

/** The rows of decisions, without those that stand between them. */
export function rowsOf(body: HTMLTableSectionElement | null): HTMLTableRowElement[] {
  return [...(body?.rows ?? [])].filter((row) => !row.matches(".group"));
}

export function AgentCell({ agent }: { agent: string | undefined }) {
  return <Cell>{agent && <bdi>{visible(agent)}</bdi>}</Cell>;
}

export function TimeCell({ at }: { at: string | undefined }) {
  return (
    <Cell>
      <Ago at={at} />
    </Cell>
  );
}
