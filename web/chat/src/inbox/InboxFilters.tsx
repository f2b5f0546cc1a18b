import { type FormEvent, useEffect, useId, useState } from "react";
import { countFilters, NO_FILTERS, type Filters } from "./inboxquery";
import { reasonWords } from "./reasons";

/** What is typed is looked for when nothing more has come for so long, in milliseconds. */
const TYPED_MS = 400;

const ASKED = [["", "any time ago"], ["newer:3600", "within the last hour"], ["older:3600", "over an hour ago"], ["older:86400", "over a day ago"], ["older:604800", "over a week ago"]] as const;
const DUE = [["", "any or none"], ["3600", "within an hour"], ["86400", "within a day"], ["604800", "within a week"]] as const;
const TYPED = [["tool", "Tool"], ["agent", "Agent"], ["user", "User"], ["thread", "Chat id"], ["runId", "Run id"]] as const;

type Typed = Pick<Filters, (typeof TYPED)[number][0]>;

interface Props {
  filters: Filters;
  change: (filters: Filters) => void;
  reasons: readonly string[];
  counts?: Record<string, number>;
  /** Names that can be chosen instead of typed. */
  tools: readonly string[];
}

/** The reason in sight, and the other filters behind a word. */
export function InboxFilters({ filters, change, reasons, counts, tools }: Props) {
  const [typed, setTyped] = useState<Typed>(filters);
  const set = (some: Partial<Filters>) => change({ ...filters, ...pick(typed), ...some, at: Date.now() });
  useEffect(() => {
    if (same(typed, filters)) return;
    const timer = setTimeout(() => set({}), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, filters]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set({});
  };
  const names = useId();
  const count = countFilters(filters);
  return (
    <div className="filters">
      <label className="filter">
        <span className="hint">Reason </span>
        <select value={filters.reason} data-testid="inbox-reason" onChange={(event) => set({ reason: event.target.value })}>
          <option value="">any</option>
          {reasons.map((one) => (
            <option key={one} value={one}>
              {reasonWords(one, counts?.[one])}
            </option>
          ))}
        </select>
      </label>
      <details data-testid="inbox-filters">
        <summary>{count === 0 ? "More filters" : `More filters, ${count} set`}</summary>
        <form className="filter-fields" onSubmit={submit}>
          {TYPED.map(([name, label]) => (
            <label key={name} className="field">
              <span>{label}</span>
              <input
                value={typed[name]}
                autoComplete="off"
                spellCheck={false}
                list={name === "tool" ? names : undefined}
                data-testid={`inbox-by-${name}`}
                onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
              />
            </label>
          ))}
          <datalist id={names}>
            {tools.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <label className="field">
            <span>Asked</span>
            <select value={filters.asked} data-testid="inbox-by-asked" onChange={(event) => set({ asked: event.target.value })}>
              {ASKED.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            <span>Expires</span>
            <select value={filters.due} data-testid="inbox-by-due" onChange={(event) => set({ due: event.target.value })}>
              {DUE.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label className="check">
            <input type="checkbox" checked={filters.everywhere} data-testid="inbox-everywhere" onChange={(event) => set({ everywhere: event.target.checked })} />
            <span>All tenants</span>
          </label>
          <div className="actions">
            {(filters.asked || filters.due) && <span className="hint">Times count from {new Date(filters.at).toLocaleTimeString()}.</span>}
            <button
              type="button"
              className="quiet"
              data-testid="inbox-unfiltered"
              disabled={count === 0 && same(typed, NO_FILTERS)}
              onClick={() => {
                setTyped(NO_FILTERS);
                change({ ...NO_FILTERS, reason: filters.reason });
              }}
            >
              Clear filters
            </button>
          </div>
        </form>
      </details>
    </div>
  );
}

function pick(typed: Typed): Typed {
  return Object.fromEntries(TYPED.map(([name]) => [name, typed[name]])) as unknown as Typed;
}

function same(one: Typed, other: Typed): boolean {
  return TYPED.every(([name]) => one[name].trim() === other[name].trim());
}
