import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { offered, type Facets } from "./facets";
import { countFilters, isFiltered, NO_FILTERS, type Filters } from "./inboxquery";
import { Menu } from "./Menu";
import { reasonWords } from "./reasons";

/** What is typed is looked for when nothing more has come for so long, in milliseconds. */
const TYPED_MS = 400;

const ASKED = [["", "any time ago"], ["newer:3600", "within the last hour"], ["older:3600", "over an hour ago"], ["older:86400", "over a day ago"], ["older:604800", "over a week ago"]] as const;
const TYPED = [["tool", "Tool"], ["user", "Asked by"], ["agent", "Agent"], ["thread", "Chat id"], ["runId", "Run id"]] as const;

/** What has a menu is typed only where a list has several pages. */
const MENUS: ReadonlySet<string> = new Set(["user", "agent"]);

type Typed = Pick<Filters, (typeof TYPED)[number][0]>;

interface Props {
  filters: Filters;
  change: (filters: Filters) => void;
  facets: Facets;
  /** There is more than the list holds, so that the menus may miss some. */
  paged: boolean;
  counts?: Record<string, number>;
  /** Names that can be chosen instead of typed. */
  tools: readonly string[];
}

/** Menus of what the list holds, and the other filters behind a word. */
export function InboxFilters({ filters, change, facets, paged, counts, tools }: Props) {
  const [typed, setTyped] = useState<Typed>(filters);
  const set = (some: Partial<Filters>) => change({ ...filters, ...pick(typed), ...some });
  const named = (some: Partial<Typed>) => {
    setTyped({ ...typed, ...some });
    set(some);
  };
  const fields = useRef(paged);
  fields.current ||= paged;
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
      <Menu
        label="Reason"
        hook="inbox-reason"
        value={filters.reason}
        all="any"
        values={offered(facets.reason, filters.reason)}
        words={(one) => reasonWords(one, counts?.[one])}
        choose={(reason) => set({ reason })}
      />
      <Menu label="Asked by" hook="inbox-by-user" value={filters.user} all="anybody" values={offered(facets.user, filters.user)} choose={(user) => named({ user })} />
      <Menu label="Agent" hook="inbox-by-agent" value={filters.agent} all="any" values={offered(facets.agent, filters.agent)} choose={(agent) => named({ agent })} />
      <Menu label="Due" hook="inbox-by-due" value={filters.due} all="any time" values={offered(facets.due, filters.due)} words={dueWords} choose={(due) => set({ due })} />
      <details data-testid="inbox-filters">
        <summary>{count === 0 ? "More filters" : `More filters, ${count} set`}</summary>
        <form className="filter-fields" onSubmit={submit}>
          {TYPED.filter(([name]) => fields.current || !MENUS.has(name)).map(([name, label]) => (
            <label key={name} className="field">
              <span>{label}</span>
              <input
                value={typed[name]}
                autoComplete="off"
                spellCheck={false}
                list={name === "tool" ? names : undefined}
                data-testid={`inbox-${MENUS.has(name) ? "named" : "by"}-${name}`}
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
          <label className="check">
            <input type="checkbox" checked={filters.everywhere} data-testid="inbox-everywhere" onChange={(event) => set({ everywhere: event.target.checked })} />
            <span>All tenants</span>
          </label>
          <div className="actions">
            <button
              type="button"
              className="quiet"
              data-testid="inbox-unfiltered"
              disabled={!isFiltered({ ...filters, reason: "" }) && same(typed, NO_FILTERS)}
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

function dueWords(due: string): string {
  return due === "0" ? "overdue" : "soon or overdue";
}

function pick(typed: Typed): Typed {
  return Object.fromEntries(TYPED.map(([name]) => [name, typed[name]])) as unknown as Typed;
}

function same(one: Typed, other: Typed): boolean {
  return TYPED.every(([name]) => one[name].trim() === other[name].trim());
}
