import { usePolled, type InboxItem, type Page, type Polled } from "../server/api";
import { at } from "../lib/base";
import { ActivitySection } from "./Activity";
import { WorkSection } from "./Backlog";
import { oldestWords, type TargetInfo, type UpstreamInfo, type WorkInfo } from "./backlogs";
import { coverage, failedHref, failedOfAll, findings, isEverybody, missing, named, replaced, seesOthers } from "./health";
import { LatestFailures, LatestOfTenant, LatestRuns } from "./LatestRuns";
import type { NodeInfo, StoreInfo } from "./nodes";
import type { Asks } from "./parts";
import { onLink } from "../lib/route";
import { RUNNING, runsHref } from "./runfilters";
import { STATES, stateWords } from "./RunTable";
import { Figure } from "./StoreSection";
import { useFailedOfHour } from "./tenantruns";
import { useMe } from "../server/who";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

/** Whether all is well, what is going on, and what is on record. */
export function Overview({ counts: delivered, asks }: { counts: Polled<Record<string, number>>; asks: Asks }) {
  const of = (may: boolean, path: string) => (may ? path : undefined);
  const store = usePolled<StoreInfo>(of(asks.servers, "/store"), EVERY_MS);
  const nodes = usePolled<Page<NodeInfo>>(of(asks.servers, "/nodes"), EVERY_MS);
  const upstreams = usePolled<Page<UpstreamInfo>>(of(asks.servers, "/upstreams"), EVERY_MS);
  const targets = usePolled<Page<TargetInfo>>(of(asks.deliveries, "/webhooks"), EVERY_MS);
  const work = usePolled<Page<WorkInfo>>(of(asks.servers, "/work"), EVERY_MS);
  const me = useMe();
  const whole = me !== undefined && isEverybody(me);
  const failed = useFailedOfHour(asks.runs, seesOthers(me));
  const counts = delivered.data;
  const everybody = whole || !nodes.data ? undefined : failedOfAll(nodes.data.items);
  const known = {
    store: store.data,
    nodes: nodes.data?.items,
    counts,
    upstreams: upstreams.data?.items,
    targets: targets.data?.items,
    work: work.data?.items,
    failed: failed.data,
    everybody,
  };
  const found = findings(known);
  const lack = missing([asks.deliveries && delivered, ...[store, nodes, upstreams, work].map((one) => asks.servers && one), asks.deliveries && targets, asks.runs && failed]);
  const well = me ? lack || "all" : lack || "looking";
  const covered = coverage(known, whole);
  const lost = replaced(known.nodes);
  return (
    <>
      <div className="health" role="status" data-testid="health" data-well={found.length > 0 ? "no" : well}>
        {found.length === 0 && <p>{ops.well[well]}</p>}
        {found.length > 0 && (
          <ul>
            {found.map(({ href, words }) => (
              <li key={words} data-testid="finding">
                {href ? <a href={href} onClick={onLink}>{words}</a> : words}
              </li>
            ))}
          </ul>
        )}
        {lost && (
          <p className="hint" data-testid="replaced">
            <a href={at("/ops/servers")} onClick={onLink}>{lost}</a>
          </p>
        )}
        {covered && <div className="hint">{ops.covers(covered)}</div>}
      </div>
      <NowSection counts={counts} failed={failed.data} whole={whole} waiting={asks.waiting} />
      <Latest failed={failed} others={seesOthers(me)} runs={asks.runs} />
      <WorkSection work={work} />
      <ActivitySection nodes={nodes} />
      {counts && <Record counts={counts} whole={whole} />}
      {(!asks.servers || nodes.error?.status === 403) && (
        <p className="hint" data-testid="needs-metrics">
          {ops.needsMetrics}
        </p>
      )}
    </>
  );
}

/** What has failed of everybody's, or else the latest runs that the person sees. */
function Latest({ failed, others, runs }: { failed: ReturnType<typeof useFailedOfHour>; others: boolean; runs: boolean }) {
  switch (named(runs, others, failed.data)) {
    case "failures":
      return <LatestFailures failed={failed} href={failedHref(failed.data!)} />;
    case "everybody's":
      return <LatestOfTenant />;
    case "own":
      return <LatestRuns />;
  }
  return null;
}

/** What is going on and what waits, each with the list of what is counted, if there is one. */
function NowSection({ counts, failed, whole, waiting }: { counts?: Record<string, number>; failed?: ReturnType<typeof useFailedOfHour>["data"]; whole: boolean; waiting: boolean }) {
  const { data: totals } = usePolled<{ total: number }>(waiting ? "/inbox/totals" : undefined, EVERY_MS);
  const { data: oldest } = usePolled<Page<InboxItem>>(waiting ? "/inbox?limit=1" : undefined, EVERY_MS);
  if (!counts && !totals) return null;
  const { claimed = 0, queued = 0, dead_letter: dead = 0 } = counts ?? {};
  return (
    <section aria-labelledby="now">
      <h2 id="now">{ops.rightNow}</h2>
      <dl className="counts now" data-testid="counts">
        {counts && <Figure name={ops.runStates.running} value={claimed} state="claimed" href={runsHref({ result: RUNNING })} />}
        {counts && <Figure name={ops.states.queued} value={queued} state="queued" more={whole || queued === 0 ? undefined : ops.queuedAbout} href={whole ? runsHref({ state: "queued" }) : undefined} />}
        {totals && <Figure name={ops.chatsWait} value={totals.total} more={totals.total > 0 ? ops.oldestWaits(oldestWords(oldest)) : undefined} state="asks" href={at("/inbox")} />}
        {failed && <Figure name={ops.failedOfHour} value={failed.n} more={failed.more ? ops.orMore : undefined} state="failed" href={failedHref(failed)} />}
        {counts && <Figure name={ops.places["dead-letters"]} value={dead} state="dead_letter" href={at("/ops/dead-letters")} />}
      </dl>
    </section>
  );
}

/** What the sums are of that go on no list of everybody's. */
const OVER = STATES.filter((state) => state !== "queued" && state !== "claimed" && state !== "dead_letter");

/** How many runs are on record that are over. */
function Record({ counts, whole }: { counts: Record<string, number>; whole: boolean }) {
  const some = OVER.filter((state) => (counts[state] ?? 0) > 0);
  if (some.length === 0) return null;
  return (
    <details className="on-record" data-testid="record">
      <summary>{ops.record(some.reduce((sum, state) => sum + counts[state]!, 0))}</summary>
      <p className="hint">{whole ? ops.recordAbout : ops.recordOfTenant}</p>
      <dl className="counts">
        {some.map((state) => (
          <Figure key={state} name={stateWords(state)} value={counts[state]!} state={state} title={ops.dispatch(state)} href={whole ? runsHref({ state }) : undefined} />
        ))}
      </dl>
    </details>
  );
}
