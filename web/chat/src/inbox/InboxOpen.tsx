import { type ReactNode, useMemo, useRef, useState } from "react";
import { LedTo } from "../../../react/inbox/LedTo";
import { control, usePolled, type InboxItem } from "../server/api";
import { toolsOf, type Bulk } from "./bulk";
import { BulkBar } from "./BulkBar";
import { DecisionTable } from "./DecisionTable";
import { useFacets } from "./facets";
import { InboxDetail } from "./InboxDetail";
import { InboxFilters } from "./InboxFilters";
import { Item, keyOf, type Said } from "./InboxItem";
import { InboxKeys, LeaveHint } from "./InboxKeys";
import { keysOn, turnKeys } from "./inboxkeys";
import { InboxFault, InboxNotes } from "./InboxNotes";
import { COLUMNS, InboxRow } from "./InboxRow";
import { inboxPath, isFiltered, NO_FILTERS, pathAt } from "./inboxquery";
import { useKept } from "../lib/kept";
import { movesOf } from "./moves";
import { usePicked } from "./picking";
import { openAgain, turnedOut, useReopened } from "./reopened";
import { useSelection } from "./selection";
import { ofInbox, ofWaiting } from "../server/notices";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import SignIn from "../server/SignIn";
import { bearer } from "../server/session";
import { useWide } from "../lib/wide";
import { inbox } from "../words/inbox";

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

const NONE: InboxItem[] = [];

/**
 * Open interrupts, those that have waited longest first, and what one of the threads asks beside them; where there is no
 * room for both it is one, then the other.
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
  const list = `${path} ${place.page}`;
  const [kept, forget] = useKept(items, keyOf, list);
  const beside = useWide(BESIDE);
  const [keys, setKeys] = useState(keysOn);
  const [tells, setSaid] = useState<Said[]>([]);
  const reopened = useReopened();
  const said = useMemo(() => turnedOut(tells, reopened), [tells, reopened]);
  const say = (...some: Said[]) => setSaid((before) => [...before, ...some].slice(-Math.max(SAID, some.length)));
  const places = { heading: useRef<HTMLHeadingElement>(null), rows: useRef<HTMLTableSectionElement>(null), detail: useRef<HTMLDivElement>(null) };
  const picked = usePicked({ list, items, kept, said, beside }, places);
  const whole = data !== undefined && !data.partial;
  const selection = useSelection(bulk, filters.everywhere ? NONE : items, whole, say, refresh);
  if (error?.status === 401) return <SignIn wrong={bearer() !== undefined} />;
  const { act, arrow, decides } = movesOf(items, picked, places, bulk, selection, beside);
  const detailed = picked.key !== undefined && kept.length > 0;
  const keyed = kept.length > 0 && !filters.everywhere && beside;
  const turn = (on: boolean) => {
    setKeys(on);
    turnKeys(on);
  };
  return (
    <>
      <div className="filter">
        <h2 ref={places.heading} tabIndex={-1}>
          {inbox.waitingForYou}
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
      {error && <InboxFault error={error} everywhere={filters.everywhere} shown={data !== undefined} />}
      {keyed && <InboxKeys on={keys} turn={turn} decides={decides} act={act} />}
      <InboxNotes data={data} failed={error !== undefined} empty={kept.length === 0} filtered={isFiltered(filters)} />
      <div className="inbox" data-detail={detailed}>
        {(beside || !detailed) && kept.length > 0 && (
          <div className="inbox-rows" onKeyDown={arrow}>
            <DecisionTable label={inbox.waiting} columns={COLUMNS} body={places.rows}>
              {kept.map(({ item, gone }) => (
                <InboxRow
                  key={keyOf(item)}
                  item={item}
                  gone={gone}
                  others={items.length !== 0}
                  leave={() => forget(keyOf(item))}
                  picked={keyOf(item) === picked.key}
                  pick={(keyed) => picked.pick(item, keyed ? "open" : "click")}
                  refused={selection.refused(item) !== undefined}
                  chosen={selection.has(item)}
                  choose={selection.changer(item)}
                />
              ))}
            </DecisionTable>
          </div>
        )}
        <InboxDetail box={places.detail} items={items} picked={picked} detailed={detailed} beside={beside} keys={keys}>
          {(item, looking) => (
            <>
              <Item item={item} looking={looking} readOnly={filters.everywhere} refused={selection.refused(item) ?? openAgain(said, item)} say={say} changed={refresh} />
              {!filters.everywhere && item.interrupts[0] && <LedTo control={control} item={item} interrupt={item.interrupts[0].id} />}
            </>
          )}
        </InboxDetail>
      </div>
      <Pager place={place} of={inbox.ofInbox} />
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
          offered={selection.offered}
          whole={whole}
          chosen={selection.chosen}
          choose={selection.choose}
          heard={selection.heard}
        />
      </div>
    </>
  );
}
