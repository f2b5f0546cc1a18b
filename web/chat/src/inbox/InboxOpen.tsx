import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { LedTo } from "../../../react/inbox/LedTo";
import { randomUUID } from "@ag-ui/client";
import { call, control, outlives, sizeOf, type InboxItem } from "../server/api";
import { countOf, MOST, type Bulk } from "./bulk";
import { BulkBar } from "./BulkBar";
import { useFacets } from "./facets";
import { InboxDetail } from "./InboxDetail";
import { filterWords, InboxFilters, useTenants } from "./InboxFilters";
import { together, type Given, type Waiting } from "./held";
import { type Lasting, looksAt } from "./lasting";
import { askKeyOf, keyOf } from "./asked";
import { Item, type Said } from "./InboxItem";
import { InboxKeys, LeaveHint } from "./InboxKeys";
import { InboxList } from "./InboxList";
import { inOrder, isLate, placeIn } from "./late";
import { keysOn, turnKeys } from "./inboxkeys";
import { InboxFault, InboxNotes } from "./InboxNotes";
import { InboxRow } from "./InboxRow";
import { inboxPath, isFiltered, NO_FILTERS, pathAt } from "./inboxquery";
import { useKept } from "../lib/kept";
import { movesOf } from "./moves";
import { usePicked } from "./picking";
import { openAgain, turnedOut, useReopened } from "./reopened";
import { toldOf, useReviews } from "./Reviewers";
import { useScreens } from "./screens";
import { choosesOthers, doneWords, saidOf, useSelection } from "./selection";
import { Toast } from "./Toast";
import { ofInbox, ofWaiting } from "../server/notices";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import SignIn from "../server/SignIn";
import { bearer } from "../server/session";
import { sayListed, useTotals } from "../server/totals";
import { useMay, useMe } from "../server/who";
import { useWide } from "../lib/wide";
import { inbox } from "../words/inbox";

/** How often the inbox is asked for where no notices come, in milliseconds. */
const EVERY_MS = 5_000;

/** How many threads are shown at once. */
const SIZE = 50;

/** Of so many of the last things done it is known what they were about. */
const SAID = 100;

/** Where what is asked has room beside the list, as in styles/inbox.css. */
export const BESIDE = "(min-width: 48rem)";

const NONE: InboxItem[] = [];

interface Props {
  views: ReactNode;
  /** Answers to several: the last one is being chosen, and those before it wait, or have something to be said of them. */
  bulks: readonly Bulk[];
  /** Others can be chosen beside those that wait. */
  more: () => void;
  lasting: Lasting;
}

/**
 * Open interrupts in the order in which they are answered, and what one of the threads asks beside them; where there is no
 * room for both it is one, then the other.
 */
export function InboxOpen({ views, bulks, more, lasting }: Props) {
  const { held } = lasting;
  const bulk = bulks.at(-1)!;
  const [filters, setFilters] = useState(NO_FILTERS);
  const answers = useMay("run", "approver", "admin") !== false;
  const me = useMe()?.user;
  const path = inboxPath(filters, SIZE);
  // Notices tell of the own tenant.
  const { data, error, refresh, place } = usePages<InboxItem>(path, EVERY_MS, filters.everywhere ? undefined : ofInbox, pathAt);
  const totals = useTotals(filters.everywhere ? "?tenants=all" : "", filters.everywhere ? undefined : ofWaiting);
  const { over, waiting: unsent } = useSyncExternalStore(held.watch, held.look);
  const items = useListed(data?.items, over);
  const facets = useFacets(items, totals?.reasons, filters);
  const list = `${path} ${place.page}`;
  const [kept, forget] = useKept(items, keyOf, list);
  const beside = useWide(BESIDE);
  const [cleared, setCleared] = useState(0);
  const [keys, setKeys] = useState(keysOn);
  const [keysShown, setKeysShown] = useState(false);
  const [tells, setSaid] = useState<Said[]>([]);
  const reopened = useReopened();
  const said = useMemo(() => turnedOut(tells, reopened), [tells, reopened]);
  const note = (...some: Said[]) => {
    const again = new Set(some.map(({ key }) => key));
    setSaid((before) => [...before.filter(({ key, goesOn }) => !goesOn || !again.has(key)), ...some].slice(-Math.max(SAID, some.length)));
  };
  const unsay = (items: readonly InboxItem[]) => {
    const keys = items.map(askKeyOf);
    setSaid((before) => before.filter(({ key, goesOn }) => !goesOn || !keys.includes(key)));
  };
  const give = (given: Given, said = given.items.map((item): Said => ({ key: askKeyOf(item), text: given.text, goesOn: true }))) => {
    const keys = said.map(({ key }) => key);
    note(...said);
    held.hold({
      ...given,
      send: async () => {
        const outcome = await given.send();
        const { run, openAgain, open = [] } = outcome;
        if (run !== undefined) setSaid((before) => before.map((one) => (keys.includes(one.key) ? { ...one, run, openAgain } : one)));
        unsay(open);
        return outcome;
      },
    });
  };
  const failed = said.findLast(({ goesOn, openAgain }) => openAgain && !goesOn)?.text;
  useEffect(() => {
    if (failed !== undefined) held.tell(failed);
  }, [held, failed]);
  useEffect(() => looksAt(lasting), [lasting]);
  useEffect(() => {
    held.changed = refresh;
    return () => {
      held.changed = () => {};
    };
  }, [held, refresh]);
  const places = { heading: useRef<HTMLHeadingElement>(null), rows: useRef<HTMLTableSectionElement>(null), detail: useRef<HTMLDivElement>(null) };
  const picked = usePicked({ list, items, kept, said, beside }, places);
  const proposed = useSyncExternalStore(bulk.watch, bulk.look).state === "asking";
  const whole = data !== undefined && !data.partial;
  const selection = useSelection(filters.everywhere || !answers ? NONE : items, me, whole, note, () => bulks.forEach((one) => one.clear()));
  const carryOut = async (of: Bulk) => {
    const { way, items } = of.look();
    const results = await of.send();
    const taken = results.filter(({ error, missing = 0 }) => !error && missing === 0).map(({ item }) => item);
    const heard = selection.heard(way, results);
    const refused = results.filter(({ error }) => error).length;
    // Its own bar says the rest, where that is looked at.
    const { state, fault } = of.look();
    if (!lasting.there && state === "unanswered") throw fault;
    return { text: lasting.there || refused === 0 ? heard : `${inbox.bulk.refused(doneWords(way, taken), refused)}.`, open: items.filter((item) => !taken.includes(item)) };
  };
  const hold = () => {
    const request = bulk.hold();
    if (!request) return;
    const { way, items } = bulk.look();
    selection.choose(selection.chosen.filter((one) => !items.includes(one)));
    const undone = () => {
      bulk.leave();
      selection.choose(items);
    };
    const given = { items, text: doneWords(way, items), size: sizeOf(request), undone, send: () => carryOut(bulk) };
    give(given, items.map((item) => ({ ...saidOf(way, { item }), openAgain: undefined })));
    more();
  };
  const again = async (of: Bulk) => {
    const { text } = await carryOut(of);
    if (text !== "") held.tell(text);
    refresh();
  };
  const undo = (given?: Given) => {
    const back = held.undo(given);
    if (!back) return held.tell(inbox.noneHeld);
    unsay(back.items);
    back.undone?.();
    if (back.items[0]) picked.pick(back.items[0], "answer");
  };
  const detailed = picked.key !== undefined && kept.length > 0;
  const all = whole && (place.on ?? place.back) === undefined;
  // Of a list that is all there is, what can be answered is counted.
  const counted = all && !isFiltered(filters);
  const alone = detailed && !beside;
  const tenants = useTenants();
  // Where nothing is there is nothing to filter.
  const bare = counted && kept.length === 0 && !tenants;
  useScreens(items, picked, alone, beside);
  const reviews = useReviews(items, toldOf(detailed && !filters.everywhere ? picked.open : undefined, unsent), me, answers, refresh);
  const { act, arrow, decides } = movesOf(items, picked, places, bulk, selection, beside, { tell: (text) => held.tell(text), undo: () => undo(), keys: () => setKeysShown((now) => !now) });
  const open = items.filter((item) => !isLate(item, Date.now()));
  const waiting = counted ? open.length : (totals?.total ?? 0);
  const questions = counted ? countOf(open) + open.reduce((sum, { omitted = 0 }) => sum + omitted, 0) : waiting;
  const listed = data === undefined || filters.everywhere ? undefined : waiting;
  useLayoutEffect(() => sayListed(listed), [listed]);
  useLayoutEffect(() => () => sayListed(undefined), []);
  const clear = () => {
    setFilters(NO_FILTERS);
    setCleared((n) => n + 1);
    places.heading.current?.focus({ preventScroll: true });
  };
  const keyed = kept.length > 0 && !filters.everywhere && answers && beside;
  const turn = (on: boolean) => {
    setKeys(on);
    turnKeys(on);
  };
  if (error?.status === 401) return <SignIn wrong={bearer() !== undefined} />;
  return (
    <>
      {/* On a phone there is what is asked, or the list and what it is filtered by. */}
      <div className="toolbar" hidden={alone}>
        <h2 ref={places.heading} tabIndex={-1}>
          {inbox.waitingForYou}
        </h2>
        {waiting > 0 && (
          <span className="tag" data-testid="inbox-total" title={inbox.chatsAndQuestions(waiting, questions)}>
            {waiting}
          </span>
        )}
        {views}
        {!bare && (
          <InboxFilters
            key={cleared}
            filters={filters}
            change={setFilters}
            facets={facets}
            paged={(place.on ?? place.back) !== undefined}
            folded={!beside}
            counts={totals?.reasons}
          />
        )}
        <span className="spacer" />
        {keyed && <InboxKeys on={keys} turn={turn} decides={decides} act={act} shown={keysShown} show={setKeysShown} />}
      </div>
      {error && <InboxFault error={error} everywhere={filters.everywhere} shown={data !== undefined} />}
      <InboxNotes data={data} failed={error !== undefined} empty={kept.length === 0} filters={filterWords(filters)} clear={clear} />
      {!answers && kept.length > 0 && (
        <p className="hint" data-testid="inbox-read-only">
          {inbox.mayNotAnswer}
        </p>
      )}
      {reviews.telling}
      <div className="inbox" data-detail={detailed}>
        {(beside || !detailed) && kept.length > 0 && (
          <div className="inbox-rows" onKeyDown={arrow}>
            <InboxList kept={kept} body={places.rows} selection={selection} together={together(unsent)} undo={undo} giveUp={filters.everywhere || !answers ? undefined : (late) => give(givenUp(late))}>
              {({ item, gone }, columns, apart) => (
                <InboxRow
                  item={item}
                  apart={apart}
                  columns={columns}
                  gone={gone}
                  said={said.findLast(({ key, goesOn }) => goesOn && key === askKeyOf(item))?.text}
                  waits={unsent.some(({ given }) => given.items.some((one) => askKeyOf(one) === askKeyOf(item)))}
                  undo={undoOf(unsent, item, undo)}
                  others={items.length !== 0}
                  leave={() => forget(keyOf(item))}
                  picked={keyOf(item) === picked.key}
                  pick={(keyed) => picked.pick(item, keyed ? "open" : "click")}
                  refused={selection.refused(item) !== undefined}
                  chosen={selection.has(item)}
                  choose={selection.changer(item)}
                  barred={filters.everywhere || !answers || selection.changer(item) ? undefined : selection.barred(item)}
                  sayBarred={() => held.tell(selection.barred(item))}
                  taken={reviews.taken(item)}
                  assignee={reviews.assignee(item)}
                  reviewers={reviews.others(item)}
                  passed={beside && picked.open !== undefined && item !== picked.open}
                />
              )}
            </InboxList>
          </div>
        )}
        <InboxDetail box={places.detail} items={items} picked={picked} detailed={detailed} beside={beside} keys={keys} behind={proposed} aside={choosesOthers(selection.chosen, picked.open)}>
          {(item) => (
            <>
              <Item item={item} place={all ? placeIn(items, item, Date.now()) : undefined} reviews={reviews} readOnly={filters.everywhere} answers={answers} refused={selection.refused(item) ?? openAgain(said, item)} give={give} changed={refresh} />
              {!filters.everywhere && answers && item.interrupts[0] && <LedTo control={control} item={item} interrupt={item.interrupts[0].id} />}
            </>
          )}
        </InboxDetail>
      </div>
      {!alone && <Pager place={place} of={inbox.ofInbox} />}
      <div className="foot">
        <div className="over">
          <Toast held={held} undo={() => undo()} />
          {keyed && keys && <LeaveHint />}
        </div>
        {bulks.map((one) => (
          <BulkBar
            key={one.number}
            bulk={one}
            offered={selection.offered}
            whole={whole}
            chosen={one === bulk ? selection.chosen : NONE}
            choose={selection.choose}
            aside={alone}
            hold={hold}
            again={() => void again(one)}
            leave={() => act("leave")}
          />
        ))}
      </div>
    </>
  );
}

/** Takes back what waits about an item alone. */
function undoOf(unsent: readonly Waiting[], item: InboxItem, undo: (given: Given) => void): (() => void) | undefined {
  const waits = unsent.find(({ given: { items } }) => items.length === 1 && askKeyOf(items[0]!) === askKeyOf(item));
  return waits && (() => undo(waits.given));
}

/** What is shown of a list: without what is answered here, in the order in which it is answered. */
function useListed(list: readonly InboxItem[] | undefined, over: ReadonlySet<string>): readonly InboxItem[] {
  const open = useMemo(() => list?.filter((item) => !over.has(askKeyOf(item))) ?? NONE, [list, over]);
  const ordered = inOrder(open, Date.now());
  const which = ordered.map(askKeyOf).join();
  return useMemo(() => ordered, [open, which]);
}

/** Gives several threads up. */
function givenUp(late: readonly InboxItem[]): Given {
  const items = late.slice(0, MOST);
  const body = {
    idempotencyKey: randomUUID(),
    items: items.map(({ threadId, namespace, interrupts }) => ({
      threadId,
      namespace,
      entries: interrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" })),
    })),
  };
  const small = outlives(body);
  return {
    items,
    text: inbox.late.wentOn(countOf(items)),
    size: sizeOf(body),
    send: async () => {
      const { items: told } = await call<{ items: Array<{ error?: object }> }>("POST", "/inbox/resolve", body, small);
      const open = items.filter((_, i) => told[i]?.error);
      const gone = items.filter((item) => !open.includes(item));
      return { text: gone.length === 0 ? "" : `${inbox.late.wentOn(countOf(gone))}.`, open };
    },
  };
}
