import { type FormEvent, useEffect, useRef, useState } from "react";
import { offered, type Facets } from "./facets";
import { countFilters, isFiltered, NO_FILTERS, type Filters } from "./inboxquery";
import { Choices } from "./Choices";
import { reasonWords } from "./reasons";
import { Drop } from "../lib/Drop";
import { visible } from "../../../react/lib/misleading";
import { useMe } from "../server/who";
import { inbox } from "../words/inbox";

/** What is typed is looked for when nothing more has come for so long, in milliseconds. */
const TYPED_MS = 400;

const ASKED: Readonly<Record<string, keyof typeof inbox.asks>> = { "newer:3600": "hour", "older:3600": "overHour", "older:86400": "overDay", "older:604800": "overWeek" };
const TYPED = ["tool", "user", "agent", "thread", "runId"] as const;

/** What has a menu is typed only where a list has several pages. */
const MENUS: ReadonlySet<string> = new Set(["tool", "user", "agent"]);

/** Who has these sees all tenants. */
const TENANTS = ["admin", "tenants"];

/** Whether the person may see all tenants, as far as that is known. */
export function useTenants(): boolean {
  const { scopes } = useMe() ?? {};
  return !scopes || TENANTS.every((scope) => scopes.includes(scope));
}

type Typed = Pick<Filters, (typeof TYPED)[number]>;

interface Props {
  filters: Filters;
  change: (filters: Filters) => void;
  facets: Facets;
  /** There is more than the list holds, so that the menus may miss some. */
  paged: boolean;
  /** There is no room for menus beside each other. */
  folded: boolean;
  counts?: Record<string, number>;
}

/** Menus of what the list holds, and the other filters behind a word. */
export function InboxFilters({ filters, change, facets, paged, folded, counts }: Props) {
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
  const count = folded ? filterWords(filters).length : countFilters(filters);
  // A single one is told, too: what else asks has none.
  const tools = offered([...facets.tool, ""], filters.tool);
  const all = useTenants() || filters.everywhere;
  const menus = (
    <>
      <Choices
        label={inbox.kind}
        hook="inbox-reason"
        value={filters.reason}
        field={folded}
        all={inbox.any}
        values={offered(facets.reason, filters.reason)}
        words={(one) => reasonWords(one, counts?.[one])}
        choose={(reason) => set({ reason })}
      />
      <Choices label={inbox.askedBy} hook="inbox-by-user" value={filters.user} field={folded} all={inbox.anybody} values={offered(facets.user, filters.user)} choose={(user) => named({ user })} />
      <Choices label={inbox.agent} hook="inbox-by-agent" value={filters.agent} field={folded} all={inbox.any} values={offered(facets.agent, filters.agent)} choose={(agent) => named({ agent })} />
      <Choices label={inbox.typed.tool} hook="inbox-by-tool" value={filters.tool} field={folded} all={inbox.any} values={tools} choose={(tool) => named({ tool })} />
      <Choices label={inbox.due} hook="inbox-by-due" value={filters.due} field={folded} all={inbox.anyTime} values={offered(facets.due, filters.due)} words={dueWords} choose={(due) => set({ due })} />
    </>
  );
  return (
    <div className="filters">
      {!folded && menus}
      <Drop className="choices" data-testid="inbox-filters" summary={<summary data-set={count > 0}>{summaryWords(folded, count)}</summary>}>
        <form className="drop-panel filter-fields" tabIndex={-1} onSubmit={submit}>
          {folded && menus}
          <Choices label={inbox.asked} hook="inbox-by-asked" value={filters.asked} field all={inbox.asks.any} values={Object.keys(ASKED)} words={(one) => inbox.asks[ASKED[one]!]} choose={(asked) => set({ asked })} />
          {TYPED.filter((name) => fields.current || !MENUS.has(name)).map((name) => (
            <label key={name} className="field">
              <span>{inbox.typed[name]}</span>
              <input
                value={typed[name]}
                autoComplete="off"
                spellCheck={false}
                data-testid={`inbox-${MENUS.has(name) ? "named" : "by"}-${name}`}
                onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
              />
            </label>
          ))}
          {all && (
            <label className="check">
              <input type="checkbox" checked={filters.everywhere} data-testid="inbox-everywhere" onChange={(event) => set({ everywhere: event.target.checked })} />
              <span>{inbox.allTenants}</span>
            </label>
          )}
          <div className="actions">
            <button
              type="button"
              className="quiet"
              data-testid="inbox-unfiltered"
              disabled={!isFiltered(filters) && same(typed, NO_FILTERS)}
              onClick={() => {
                setTyped(NO_FILTERS);
                change(NO_FILTERS);
              }}
            >
              {inbox.clearFilters}
            </button>
          </div>
        </form>
      </Drop>
    </div>
  );
}

/** What a list is filtered by. */
export function filterWords(filters: Filters): string[] {
  const { reason, due, asked, everywhere } = filters;
  return [
    ...(reason ? [`${inbox.kind} ${reasonWords(reason)}`] : []),
    ...TYPED.filter((name) => filters[name].trim() !== "").map((name) => `${inbox.typed[name]} ${visible(filters[name].trim())}`),
    ...(due ? [`${inbox.due} ${dueWords(due)}`] : []),
    ...(asked ? [`${inbox.asked} ${inbox.asks[ASKED[asked] ?? "any"]}`] : []),
    ...(everywhere ? [inbox.allTenants] : []),
  ];
}

function summaryWords(folded: boolean, count: number): string {
  if (count === 0) return folded ? inbox.filters : inbox.moreFilters;
  return (folded ? inbox.filtersSet : inbox.moreFiltersSet)(count);
}

function dueWords(due: string): string {
  return due === "0" ? inbox.overdue : inbox.soon;
}

function pick(typed: Typed): Typed {
  return Object.fromEntries(TYPED.map((name) => [name, typed[name]])) as unknown as Typed;
}

function same(one: Typed, other: Typed): boolean {
  return TYPED.every((name) => one[name].trim() === other[name].trim());
}
