import { type HTMLAttributes, type ReactNode, useEffect, useRef } from "react";
import { Cell } from "./DecisionTable";

/** How long is said at least what was in a row, in milliseconds. */
const KEPT_MS = 2_000;

interface Props {
  /** What was here has gone. */
  gone: boolean;
  /** It can come back, and keeps its place until it cannot. */
  waits?: boolean;
  /** What is said in its place. */
  over: ReactNode;
  /** So many cells are in a row. */
  width: number;
  /** Something else in the list can be acted on. */
  others: boolean;
  /** The place may be given up. */
  leave: () => void;
  /** Of the row while it is there. */
  row: HTMLAttributes<HTMLTableRowElement> & Record<`data-${string}`, string | boolean>;
  children: ReactNode;
}

/**
 * A row of a table. When what was in it has gone, one line says so for a moment, and beyond it while the pointer is over
 * others of the table: they would move under it.
 */
export function KeptRow({ gone, waits = false, over, width, others, leave, row, children }: Props) {
  const box = useRef<HTMLTableRowElement>(null);
  const last = useRef(leave);
  last.current = leave;
  useEffect(() => {
    if (!gone || waits) return;
    const list = box.current?.parentElement;
    const left = () => last.current();
    const timer = setTimeout(() => {
      // A finger leaves nothing behind that hovers, but browsers say so.
      if (others && matchMedia("(hover: hover)").matches && list?.matches(":hover")) list.addEventListener("pointerleave", left);
      else left();
    }, KEPT_MS);
    return () => {
      clearTimeout(timer);
      list?.removeEventListener("pointerleave", left);
    };
  }, [gone, waits, others]);
  if (!gone) {
    return (
      <tr ref={box} role="row" {...row}>
        {children}
      </tr>
    );
  }
  return (
    <tr ref={box} role="row" className="kept">
      <Cell colSpan={width} data-testid="answered">
        {over}
      </Cell>
    </tr>
  );
}
