import type { KeyboardEvent, MouseEvent } from "react";
import { Drop } from "../lib/Drop";
import { visible } from "../../../react/lib/misleading";
import { rowOf } from "./menukeys";

interface Props {
  label: string;
  hook: string;
  /** What is chosen; empty for everything. */
  value: string;
  /** What everything is called; left out where that is not among the choices. */
  all?: string;
  /** What is chosen unless somebody chooses: it does not stand out. */
  usual?: string;
  /** It stands among fields, under its label as they do. */
  field?: boolean;
  /** What can be chosen beside it; the menu is left out where that is undefined. */
  values: readonly string[] | undefined;
  /** A value in words; left out where it is its own name. */
  words?: (value: string) => string;
  choose: (value: string) => void;
}

/** One of several values. Its button says what is chosen. */
export function Choices({ label, hook, value, all, usual = "", field = false, values, words = visible, choose }: Props) {
  if (!values) return null;
  const chosen = (event: MouseEvent<HTMLElement>, one: string) => {
    const drop = event.currentTarget.closest("details")!;
    drop.open = false;
    drop.querySelector("summary")!.focus();
    choose(one);
  };
  const keyed = (event: KeyboardEvent<HTMLElement>) => {
    const rows = [...event.currentTarget.querySelectorAll("button")];
    const to = rowOf(event, rows.map((one) => one.textContent), rows.findIndex((one) => one === document.activeElement));
    if (to === undefined) return;
    event.preventDefault();
    rows[to]?.focus();
  };
  const said = value === "" ? (field ? all : label) : field ? words(value) : `${label}: ${words(value)}`;
  const menu = (
    <Drop
      className="choices"
      data-testid={hook}
      data-value={value}
      summary={
        <summary data-set={value !== usual}>
          {field && <span className="visually-hidden">{label}: </span>}
          {said}
        </summary>
      }
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) (currentTarget.querySelector<HTMLElement>('[aria-checked="true"]') ?? currentTarget.querySelector("button"))?.focus();
      }}
    >
      <div className="drop-panel" role="menu" aria-label={label} tabIndex={-1} onKeyDown={keyed}>
        {[...(all === undefined ? [] : [""]), ...values].map((one) => (
          <button key={one} type="button" role="menuitemradio" aria-checked={one === value} tabIndex={-1} data-value={one} onClick={(event) => chosen(event, one)}>
            {one === "" ? all : words(one)}
          </button>
        ))}
      </div>
    </Drop>
  );
  if (!field) return menu;
  return (
    <div className="field">
      <span aria-hidden>{label}</span>
      {menu}
    </div>
  );
}
