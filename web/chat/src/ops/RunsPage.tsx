import { type ReactNode, useMemo, useRef } from "react";
import type { RunInfo } from "../server/api";
import { FailedRuns } from "./FailedRuns";
import { FindById } from "./FindById";
import { seesOthers } from "./health";
import { Menu } from "../inbox/Menu";
import { visible } from "../../../react/lib/misleading";
import { goInstead } from "../lib/route";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { useQuery } from "./place";
import { ANY, filtersIn, noneWords, OF_TENANT, RESULTS, resultWords, runsHref, runsPath, SINCE, sinceWords, summaryWords, TENANT, type RunFilters } from "./runfilters";
import { BESIDE, RunTable, STATES, stateWords, type Act } from "./RunTable";
import { titleOf, withTitles } from "./titles";
import { useMe } from "../server/who";
import { useWide } from "../lib/wide";
import { ops } from "../words/ops";

const EVERY_MS = 3_000;

/** How many runs are shown at once. */
const SIZE = 50;

/** The runs of all own chats, or of everybody in the tenant those that failed. */
export function RunsPage({ act }: { act: Act }) {
  const filters = filtersIn(useQuery());
  const others = seesOthers(useMe());
  const whose = others && <Menu label={ops.whose} hook="run-whose" value={filters.whose} all={ops.yours} values={[TENANT]} words={() => ops.ofTenant} choose={(whose) => goInstead(runsHref({ since: filters.since, whose }))} />;
  const List = others && filters.whose === TENANT ? TenantsFailed : OwnRuns;
  return (
    <FindById act={act} titled={(title) => goInstead(runsHref({ title }))}>
      <List filters={filters} act={act} whose={whose} />
    </FindById>
  );
}

interface ListProps {
  filters: RunFilters;
  act: Act;
  /** The choice between these lists. */
  whose: ReactNode;
}

/** What failed in the tenant, by when. */
function TenantsFailed({ filters, act, whose }: ListProps) {
  return (
    <section aria-labelledby="all-runs">
      <h2 id="all-runs">{ops.runs}</h2>
      <p className="hint">{ops.failedAbout}</p>
      <div className="filters">
        {whose}
        <Menu label={ops.failedWhen} hook="run-since" value={filters.since === OF_TENANT ? "" : filters.since} all={sinceWords(OF_TENANT)} values={SINCE.filter((one) => one !== OF_TENANT)} words={sinceWords} choose={(since) => goInstead(runsHref({ ...filters, since }))} />
      </div>
      <FailedRuns key={filters.since} since={filters.since || OF_TENANT} act={act} />
    </section>
  );
}

/** The runs of one's own chats, by what they came to, how far they were delivered, when they began and whose they are. */
function OwnRuns({ filters, act, whose }: ListProps) {
  const key = JSON.stringify(filters);
  // The pages behind the first one are of the same time.
  const path = useMemo(() => runsPath(JSON.parse(key) as RunFilters, SIZE), [key]);
  const { data, error, refresh, place } = usePages<RunInfo>(path, EVERY_MS);
  const show = (some: RunFilters) => goInstead(runsHref(some));
  const actHere: Act = async (...what) => {
    await act(...what);
    refresh();
  };
  const runs = withTitles(data?.items ?? []);
  const own = useRef("");
  own.current = runs[0]?.namespace ?? own.current;
  const agents = [...new Set([...runs.map(({ agent }) => agent ?? ""), filters.agent])].filter(Boolean).sort();
  const folded = !useWide(BESIDE);
  const menus = (
    <>
      <Menu label={ops.outcome} hook="run-result" value={filters.result} all={ops.any} values={RESULTS} words={resultWords} choose={(result) => show({ ...filters, result })} />
      {!filters.thread && <Menu label={ops.columns.began} hook="run-since" value={filters.since} all={ops.anyTime} values={SINCE} words={sinceWords} choose={(since) => show({ ...filters, since })} />}
      <Menu label={ops.agent} hook="run-agent" value={filters.agent} all={ops.any} values={agents.length > 1 || filters.agent ? agents : undefined} choose={(agent) => show({ ...filters, agent })} />
    </>
  );
  return (
    <section aria-labelledby="all-runs">
      <h2 id="all-runs">{ops.runs}</h2>
      <p className="hint">{ops.runsAbout}</p>
      <div className="filters">
        {whose}
        {!folded && menus}
        <details data-testid="run-filters">
          <summary>{summaryWords(folded, filters)}</summary>
          <div className="filter-fields">
            {folded && menus}
            <Menu label={ops.dispatches} hook="dispatch-state" value={filters.state} all={ops.any} values={STATES} words={(state) => stateWords(state as RunInfo["state"])} choose={(state) => show({ ...filters, state })} />
          </div>
        </details>
        {filters.thread && (
          <button type="button" className="quiet" data-testid="any-chat" onClick={() => show({ ...filters, thread: "" })}>
            {ops.onlyOf} <bdi>{visible(titleOf({ namespace: own.current, threadId: filters.thread }) ?? filters.thread)}</bdi> ✕
          </button>
        )}
        {filters.title && (
          <button type="button" className="quiet" data-testid="any-title" onClick={() => show({ ...filters, title: "" })}>
            {ops.titled} <bdi>{visible(filters.title)}</bdi> ✕
          </button>
        )}
      </div>
      {error && <p className="fault">{error.message}</p>}
      {runs.length > 0 && <RunTable runs={runs} act={actHere} only={(thread) => show({ ...ANY, thread })} />}
      {data?.items.length === 0 && (
        <p className="hint" data-testid="runs-none">
          {noneWords(filters, place)}
        </p>
      )}
      <Pager place={place} of={ops.ofRuns} />
    </section>
  );
}
