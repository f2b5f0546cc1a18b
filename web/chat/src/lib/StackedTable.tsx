import { Fragment, useState, type ReactNode } from "react";
import { meansRow } from "./rowpress";

interface Props<T> {
  label: string;
  /** Of the box around the table. */
  className?: string;
  columns: Record<string, (of: T) => ReactNode>;
  items: readonly T[];
  /** What tells a row apart, its `key` among it. */
  row: (of: T) => { key: string } & Record<`data-${string}`, string>;
  /** What a row opens below it. */
  more?: (of: T) => ReactNode;
  /** Whether it is open before anybody presses the row. */
  opened?: (of: T) => boolean;
}

/** A table that scrolls by itself, and whose cells stand below one another, each under its title, where there is no room beside one another. */
export function StackedTable<T>({ label, className = "", columns, items, row, more, opened }: Props<T>) {
  const [pressed, press] = useState<ReadonlyMap<string, boolean>>(new Map());
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
            const open = more && (pressed.get(key) ?? opened?.(of) ?? false);
            const turn = () => press(new Map(pressed).set(key, !open));
            return (
              <Fragment key={key}>
                <tr {...data} data-open={open} onClick={more && (({ target }) => meansRow(target as Element) && turn())}>
                  {Object.entries(columns).map(([title, shown], i) => (
                    <td key={title} data-label={title}>
                      {more && i === 0 ? (
                        <button type="button" className="row-pick" aria-expanded={open} onClick={turn}>
                          {shown(of)}
                        </button>
                      ) : (
                        shown(of)
                      )}
                    </td>
                  ))}
                </tr>
                {open && (
                  <tr className="row-more">
                    <td colSpan={Object.keys(columns).length}>{more(of)}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
