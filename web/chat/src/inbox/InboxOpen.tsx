import type { Interrupt } from "@ag-ui/client";
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { usePolled, type ApiError, type InboxItem } from "../server/api";
import { decisionOf } from "../forms/answers";
import { bulkable, messagesOf, plainAnswer, questionsKey, toolsOf, type Bulk, type Result, type Way } from "./bulk";
import { BulkBar, refusalWords } from "./BulkBar";
import { DecisionTable } from "./DecisionTable";
import { useFacets } from "./facets";
import { uncovered } from "../lib/Guarded";
import { Icon } from "../lib/Icon";
import { InboxFilters } from "./InboxFilters";
import { askKeyOf, Item, keyOf, type Said } from "./InboxItem";
import { InboxKeys, LeaveHint } from "./InboxKeys";
import { actOn, follower, keysOn, neighbour, stepOf, turnKeys, type KeyAct } from "./inboxkeys";
import { COLUMNS, InboxRow } from "./InboxRow";
import { inboxPath, isFiltered, NO_FILTERS, pathAt } from "./inboxquery";
import { useKept } from "../lib/kept";
import { visible } from "../lib/misleading";
import { ofInbox, ofWaiting } from "../server/notices";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { SignIn } from "../server/SignIn";
import { bearer } from "../server/session";
import { useWide } from "../lib/wide";
import { sentence, staleWords } from "../lib/words";

/** How often the inbox is asked for where no notices come, in milliseconds. */
const EVERY_MS = 5_000;

/** How often it is counted there. */
const TOTALS_EVERY_MS = 10_000;

/** How many threads are shown at once. */
const SIZE = 50;

/** So many of the last things done are still said. */
const SAID = 5;

/** Where what is asked has room beside the list, as in styles/inbox.css. */
const BESIDE = "(min-width: 48rem)";

/** Where a key decides about what is shown, beside the page itself, its heading and what is shown. */
const DECIDING = '[data-picked="true"] [data-testid="inbox-pick"], [data-testid="inbox-keys-on"]';

const NONE: InboxItem[] = [];

/**
 * What is looked at of a list, and what is asked there. `by` is how a person came to it: by a pointer, by a key that goes
 * through the list, by one that opens it, or by answering what was asked before. It is left out where it is what a list begins with.
 */
interface Picking {
  list: string;
  key?: string;
  ask?: string;
  /** What was looked at before the list alone. */
  left?: string;
  by?: "click" | "key" | "open" | "answer";
}

/**
 * Open interrupts, those that have waited longest first, and what one of the threads asks beside them; where there is no
 * room for both it is one, then the other. What is answered here makes room for the next one, and what goes otherwise leaves
 * its place empty until another is picked.
 */
export function InboxOpen({ views, bulk }: { views: ReactNode; bulk: Bulk }) {
  const [filters, setFilters] = useState(NO_FILTERS);
  const path = inboxPath(filters, SIZE);
  // Notices tell of the own tenant.
  const { data, error, refresh, place } = usePages<InboxItem>(path, EVERY_MS, filters.everywhere ? undefined : ofInbox, pathAt);
  const { data: totals } = usePolled<{ total: number; reasons?: Record<string, number> }>(
    `/inbox/totals${filters.everywhere ? "?tenants=all" : ""}`,
    TOTALS_EVERY_MS,
    filters.everywhere ? undefined : ofWaiting,
  );
  const items = data?.items ?? NONE;
  const facets = useFacets(items, totals?.reasons, filters);
  const [kept, forget] = useKept(items, keyOf, `${path} ${place.page}`);
  const beside = useWide(BESIDE);
  const list = `${path} ${place.page}`;
  const [picking, setPicking] = useState<Picking>({ list });
  const picked = picking.list === list ? picking.key : undefined;
  const [first] = items;
  useEffect(() => {
    if (beside && picked === undefined && first) setPicking({ list, key: keyOf(first), ask: askKeyOf(first) });
  }, [beside, picked, first, list]);
  // Something was typed into what these ask: it is kept while another is looked at.
  const [begun, setBegun] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(uncovered, [picking]);
  const [keys, setKeys] = useState(keysOn);
  const detail = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLTableSectionElement>(null);
  const [said, setSaid] = useState<Said[]>([]);
  const say = (...some: Said[]) => setSaid((before) => [...before, ...some].slice(-Math.max(SAID, some.length)));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Record<string, string>>({});
  const heading = useRef<HTMLHeadingElement>(null);
  const count = useRef(0);
  const listed = kept.map(({ item, gone }) => ({ key: keyOf(item), gone }));
  const there = items.find((item) => keyOf(item) === picked);
  const open = there && askKeyOf(there) === picking.ask ? there : undefined;
  const saidHere = said.filter(({ key }) => key === picking.ask);
  const answeredHere = saidHere.some(({ goesOn }) => goesOn);
  const followedBy = picked !== undefined && !open && answeredHere ? follower(listed, picked) : undefined;
  useLayoutEffect(() => {
    // What was answered here makes room for the next one.
    const item = items.find((one) => keyOf(one) === followedBy);
    if (item) setPicking({ list, key: keyOf(item), ask: askKeyOf(item), by: "answer" });
  }, [followedBy, items, list]);
  useEffect(() => {
    const more = items.length > count.current;
    count.current = items.length;
    if (more || followedBy !== undefined) return;
    // What was answered is gone, and its buttons with it.
    if (said.length > 0 && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [items.length, said]);
  const rowOf = (of: string | undefined) => {
    const at = listed.findIndex(({ key, gone }) => !gone && key === of);
    return rows.current?.children[at]?.querySelector<HTMLElement>('[data-testid="inbox-pick"]');
  };
  useEffect(() => {
    const { by, key, left } = picking;
    if (by === undefined) return;
    // On a phone the list goes, and what is picked comes, or the other way round.
    if (key === undefined) (rowOf(left) ?? heading.current)?.focus();
    else if (by === "answer") {
      // The buttons that had the focus are gone: it is nowhere, or was led to the heading while they were sending.
      if (document.activeElement === document.body || document.activeElement === heading.current) detail.current?.focus({ preventScroll: true });
    } else if (!beside || by === "open") detail.current?.focus();
    else if (by === "key") rowOf(key)?.focus();
    // What is asked begins at its beginning.
    if ((detail.current?.getBoundingClientRect().top ?? 0) < 0) detail.current!.scrollIntoView();
  }, [picking]);
  if (error?.status === 401) return <SignIn wrong={bearer() !== undefined} />;
  const offered = filters.everywhere ? NONE : items.filter(bulkable);
  const choose = (keys: ReadonlySet<string>) => {
    bulk.clear();
    setChosen(keys);
  };
  const heard = (way: Way, results: readonly Result[]) => {
    if (results.length === 0) return refresh();
    const taken = results.filter((one) => !one.error);
    say(...taken.map(({ item, missing }) => ({ key: askKeyOf(item), text: saidOf(way, item, missing), goesOn: !missing })));
    setRefused(Object.fromEntries(results.flatMap(({ item, error }) => (error ? [[questionsKey(item), refusalWords(error)]] : []))));
    setChosen(new Set());
    refresh();
  };
  const pick = (item: InboxItem, by: Picking["by"] = "click") => setPicking({ list, key: keyOf(item), ask: askKeyOf(item), by });
  const detailed = picked !== undefined && kept.length > 0;
  const shown = items.filter((item) => (detailed && item === open) || begun.has(askKeyOf(item)));
  const act = (what: KeyAct) => {
    if (what === "leave") return (rows.current?.querySelector<HTMLElement>('[data-picked="true"] [data-testid="inbox-pick"]') ?? heading.current)?.focus();
    if (what !== "next" && what !== "previous") {
      const asked = detail.current?.querySelector(":scope > .inbox-asked:not([hidden])");
      if (asked) actOn(asked, what);
      return;
    }
    const next = neighbour(listed, picked, what === "next" ? 1 : -1);
    // At the end it may be the same thread that asks again.
    const item = items.find((one) => keyOf(one) === next) ?? (open ? undefined : there);
    if (item) pick(item, "key");
  };
  // The arrows go through the list from where the focus is in it.
  const arrow = (event: KeyboardEvent) => {
    const step = stepOf(event);
    const from = event.target instanceof Element ? event.target.closest('[data-testid="inbox-pick"]')?.closest("tr") : undefined;
    if (!step || !from || !rows.current) return;
    event.preventDefault();
    const at = [...rows.current.children].indexOf(from);
    const next = neighbour(listed, listed[at]?.key, step);
    const item = items.find((one) => keyOf(one) === next);
    if (item && beside) pick(item, "key");
    else if (item) rowOf(next)?.focus();
  };
  const decides = (target: EventTarget | null) =>
    bulk.look().state === "idle" && target instanceof Element &&
    (target === document.body || target === heading.current || detail.current?.contains(target) === true || target.matches(DECIDING));
  const keyed = kept.length > 0 && !filters.everywhere && beside;
  const filtered = isFiltered(filters);
  return (
    <>
      <div className="filter">
        <h2 ref={heading} tabIndex={-1}>
          Waiting for you
        </h2>
        {totals !== undefined && totals.total > 0 && (
          <span className="tag" data-testid="inbox-total">
            {totals.total}
          </span>
        )}
        <span className="spacer" />
        {views}
      </div>
      {/* On a phone there is what is asked, or the list and what it is filtered by. */}
      <div hidden={detailed && !beside}>
        <InboxFilters
          filters={filters}
          change={setFilters}
          facets={facets}
          paged={(place.on ?? place.back) !== undefined}
          counts={totals?.reasons}
          tools={toolsOf(items).map(([tool]) => tool)}
        />
      </div>
      {error && (
        <p className="banner" role="alert" data-testid="inbox-error">
          {faultWords(error, filters.everywhere, data !== undefined)}
        </p>
      )}
      {keyed && (
        <InboxKeys
          on={keys}
          turn={(on) => {
            setKeys(on);
            turnKeys(on);
          }}
          decides={decides}
          act={act}
        />
      )}
      {data?.partial && (
        <p className="banner" role="status" data-testid="inbox-partial">
          A part of the store does not answer: more may wait than is shown.
        </p>
      )}
      {!data && !error && <p className="hint center">Loading…</p>}
      {data && kept.length === 0 && (
        <p className="hint center" data-testid="inbox-empty">
          {data.next
            ? "No question on this page fits the filters. The next page may have some."
            : filtered
              ? "No question fits the filters."
              : "No question waits for you. Questions of all chats come here by themselves."}
        </p>
      )}
      <div className="inbox" data-detail={detailed}>
        {(beside || !detailed) && kept.length > 0 && (
          <div className="inbox-rows" onKeyDown={arrow}>
            <DecisionTable label="Questions that wait" columns={COLUMNS} body={rows}>
              {kept.map(({ item, gone }) => {
                const key = keyOf(item);
                const asks = questionsKey(item);
                return (
                  <InboxRow
                    key={key}
                    item={item}
                    gone={gone}
                    others={items.length !== 0}
                    leave={() => forget(key)}
                    picked={key === picked}
                    pick={(keyed) => pick(item, keyed ? "open" : "click")}
                    refused={refused[asks] !== undefined}
                    chosen={chosen.has(asks)}
                    choose={offered.includes(item) ? (yes) => choose(changed(chosen, asks, yes)) : undefined}
                  />
                );
              })}
            </DecisionTable>
          </div>
        )}
        {(detailed || shown.length > 0) && (
          <div ref={detail} className="inbox-detail" hidden={!detailed} tabIndex={-1} role="group" aria-label="The question">
            {!beside && (
              <button type="button" className="quiet" data-testid="inbox-back" onClick={() => setPicking({ list, left: picked, by: "click" })}>
                <Icon name="back" /> Back to the list
              </button>
            )}
            {shown.map((item) => {
              const key = askKeyOf(item);
              const begin = () => setBegun((before) => (before.has(key) ? before : new Set(before).add(key)));
              return (
                <div key={key} className="inbox-asked" hidden={item !== open} onInput={begin}>
                  <Item item={item} readOnly={filters.everywhere} refused={refused[questionsKey(item)]} say={say} changed={refresh} />
                </div>
              );
            })}
            {!open && (
              <div className="answered" data-testid="inbox-over">
                {saidHere.map(({ text }, i) => (
                  <p key={i}>{text}</p>
                ))}
                {!answeredHere && <p>Not open any more: it was answered or given up elsewhere.</p>}
                {there && (
                  <p>
                    This chat asks again.{" "}
                    <button type="button" data-testid="inbox-again" onClick={() => pick(there)}>
                      Show what it asks
                    </button>
                  </p>
                )}
                {items.length > 0 && beside && <p>Choose what to look at next{keys && ", or press j"}.</p>}
              </div>
            )}
          </div>
        )}
      </div>
      <Pager place={place} of="the inbox" />
      <div className="foot">
        {keyed && keys && <LeaveHint />}
        {said.length > 0 && (
          <div className="said-here" role="status" data-testid="inbox-said">
            <ul>
              {said.slice(-SAID).map(({ text }, i) => (
                <li key={i}>{text}</li>
              ))}
            </ul>
          </div>
        )}
        <BulkBar
          bulk={bulk}
          offered={offered}
          whole={data !== undefined && !data.partial}
          chosen={offered.filter((one) => chosen.has(questionsKey(one)))}
          choose={(some) => choose(new Set(some.map(questionsKey)))}
          heard={heard}
        />
      </div>
    </>
  );
}

function changed(chosen: ReadonlySet<string>, key: string, yes: boolean): ReadonlySet<string> {
  const now = new Set(chosen);
  if (yes) now.add(key);
  else now.delete(key);
  return now;
}

function saidOf(way: Way, item: InboxItem, missing = 0): string {
  const decisions = item.interrupts.map(({ interrupt, toolCall }) => {
    const asked = interrupt as unknown as Interrupt;
    return decisionOf(asked, messagesOf(asked, toolCall), plainAnswer(way, asked)!);
  });
  const title = visible(item.title || "Untitled");
  return `${decisions.join(", ")}: ${missing > 0 ? `kept as a draft. ${missing} more to answer for ${title}.` : `${title} goes on.`}`;
}

function faultWords(error: ApiError, everywhere: boolean, shown: boolean): string {
  if (error.status === 403) {
    return everywhere
      ? "Your identity may not see all tenants: that needs the scopes admin and tenants."
      : "Your identity may not see the inbox: it needs the scope read or approver.";
  }
  return error.status === 400 ? sentence(error.message) : staleWords(error, shown);
}
