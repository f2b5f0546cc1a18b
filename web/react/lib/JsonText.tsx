import { type KeyboardEvent, type ReactNode, useDeferredValue, useId } from "react";
import { Misleading } from "./Marked.js";
import { unescaped } from "./misleading.js";

interface Props {
  label: string;
  hook: string;
  value: string;
  /** What is wrong with it. */
  fault?: string;
  rows: number;
  locked: boolean;
  autoFocus?: boolean;
  change: (value: string) => void;
  keyed?: (event: KeyboardEvent) => void;
  /** What is said below. */
  children?: ReactNode;
}

/** A longer text is not broken into lines, in characters. */
const LONG = 100_000;

/** A text that has to be JSON. */
export function JsonText({ label, hook, value, fault, rows, locked, autoFocus, change, keyed, children }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        data-testid={hook}
        className="code"
        spellCheck={false}
        // Breaking a line of megabytes takes seconds.
        wrap={value.length > LONG ? "off" : undefined}
        autoFocus={autoFocus}
        rows={rows}
        value={value}
        disabled={locked}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-fault`}
        onChange={(event) => change(event.target.value)}
        onKeyDown={keyed}
      />
      <span id={`${id}-fault`}>
        {fault && (
          <span className="fault" role="alert">
            {fault}
          </span>
        )}
      </span>
      <Misleading text={unescaped(useDeferredValue(value))} />
      {children}
    </div>
  );
}
