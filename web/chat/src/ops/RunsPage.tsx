import { type ReactNode, useMemo, useRef } from "react";
import type { RunInfo } from "../server/api";
import { FindById } from "./FindById";
import { seesOthers } from "./health";
import { Choices } from "../inbox/Choices";
import { Drop } from "../lib/Drop";
import { visible } from "../../../react/lib/misleading";
import { goInstead } from "../lib/route";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { useQuery } from "./place";
import { ANY, defaultSince, filtersIn, noneWords, ofTenant, OWN, RESULTS, resultWords, RUNNING, runsHref, runsPath, SINCE, sinceOf, sinceWords, summaryWords, TENANT, isFiltered, type RunFilters } from "./runfilters";
import { BESIDE, RunTable, STATES, stateWords, type Act } from "./RunTable";
import { TenantRuns } from "./TenantRuns";
import { titleOf, withTitles } from "./titles";
import { useMe } from "../server/who";
import { useWide } from "../lib/wide";
import { ops } from "../words/ops";

const EVERY_MS = 3_000;

/** How many runs are shown at once. */
const SIZE = 50;

/** The runs of everybody in the tenant, or of one's own chats. `running` is how many run now in the tenant, if that is known. */
export function RunsPage({ act, running }: { act: Act; running?: number }) {
  const filters = filtersIn(useQuery());
  const others = seesOthers(useMe());
  const tenants = others && ofTenant(filters);
  const whose = others && (
    <Choices
      label={ops.whose}
      hook="run-whose"
      value={tenants ? TENANT : OWN}
      usual={TENANT}
      values={[TENANT, OWN]}
      words={(whose) => (whose === OWN ? ops.yours : ops.ofTenant)}
      choose={(whose) => show({ ...ANY, since: filters.since, result: filters.result, whose: whose === OWN ? OWN : "" })}
    />
  );
  return (
    <div className="runs-page">
      <FindById act={act} titled={(title) => show({ ...ANY, title })}>
        {tenants ? <Tenants filters={filters} act={act} whose={whose} running={running} /> : <OwnRuns filters={filters} act={act} whose={whose} />}
      </FindById>
    </div>
  );
}

const show = (some: RunFilters) => goInstead(runsHref(some));

interface ListProps {
  filters: RunFilters;
  act: Act;
  /** The choice between these lists. */
  whose: ReactNode;
}

/** Those of the tenant, by what they came to and when. */
function Tenants({ filters, act, whose, running }: ListProps & { running?: number }) {
  const since = sinceOf(filters);
  const usual = defaultSince(filters.result);
  return (
    <section aria-labelledby="all-runs">
      <h2 id="all-runs" className="visually-hidden">{ops.runs}</h2>
      <div className="filters">
        {whose}
        <Choices label={ops.outcome} hook="run-result" value={filters.result} all={ops.any} values={[RUNNING, ...RESULTS]} words={resultWords} choose={(result) => show({ ...filters, result })} />
        <Choices label={ops.happened} hook="run-since" value={since} usual={usual} values={SINCE} words={sinceWords} choose={(since) => show({ ...filters, since: since === usual ? "" : since })} />
      </div>
      <TenantRuns key={`${since} ${filters.result === "error"}`} filters={filters} act={act} show={show} running={running} />
    </section>
  );
}

/** The runs of one's own chats, by what they came to, how far they were delivered, when they began and whose they are. */
function OwnRuns({ filters, act, whose }: ListProps) {
  const key = JSON.stringify(filters);
  // The pages behind the first one are of the same time.
  const path = useMemo(() => runsPath(JSON.parse(key) as RunFilters, SIZE), [key]);
  const { data, error, refresh, place } = usePages<RunInfo>(path, EVERY_MS);
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
      <Choices label={ops.outcome} hook="run-result" field={folded} value={filters.result} all={ops.any} values={[RUNNING, ...RESULTS]} words={resultWords} choose={(result) => show({ ...filters, result })} />
      {!filters.thread && <Choices label={ops.columns.began} hook="run-since" field={folded} value={filters.since} all={ops.anyTime} values={SINCE} words={sinceWords} choose={(since) => show({ ...filters, since })} />}
      <Choices label={ops.agent} hook="run-agent" field={folded} value={filters.agent} all={ops.any} values={agents.length > 1 || filters.agent ? agents : undefined} choose={(agent) => show({ ...filters, agent })} />
    </>
  );
  return (
    <section aria-labelledby="all-runs">
      <h2 id="all-runs" className="visually-hidden">{ops.runs}</h2>
      <div className="filters">
        {whose}
        {!folded && menus}
        <Drop className="choices" data-testid="run-filters" summary={<summary data-set={isFiltered(folded, filters)}>{summaryWords(folded, filters)}</summary>}>
          <div className="drop-panel filter-fields" tabIndex={-1}>
            {folded && menus}
            <Choices label={ops.dispatches} hook="dispatch-state" field value={filters.state} all={ops.any} values={STATES} words={(state) => stateWords(state as RunInfo["state"])} choose={(state) => show({ ...filters, state })} />
          </div>
        </Drop>
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
