import type { ReactNode } from "react";

interface Props<T> {
  label: string;
  /** Of the box around the table. */
  className?: string;
  columns: Record<string, (of: T) => ReactNode>;
  items: readonly T[];
  /** What tells a row apart, its `key` among it. */
  row: (of: T) => { key: string } & Record<`data-${string}`, string>;
}

/** A table that scrolls by itself, and whose cells stand below one another, each under its title, where there is no room beside one another. */
export function StackedTable<T>({ label, className = "", columns, items, row }: Props<T>) {
  return (
    <div className={`scroll stacks ${className}`} tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {Object.keys(columns).map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((of) => {
            const { key, ...data } = row(of);
            return (
              <tr key={key} {...data}>
                {Object.entries(columns).map(([title, shown]) => (
                  <td key={title} data-label={title}>
                    {shown(of)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
