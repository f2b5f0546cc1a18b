import { useMemo } from "react";
import type { RunInfo } from "../server/api";
import { FindById } from "./FindById";
import { Menu } from "../inbox/Menu";
import { visible } from "../../../react/lib/misleading";
import { goInstead } from "../lib/route";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { useQuery } from "./place";
import { ANY, filtersIn, noneWords, RESULTS, resultWords, runsHref, runsPath, SINCE, sinceWords, summaryWords, type RunFilters } from "./runfilters";
import { BESIDE, RunTable, STATES, stateWords, type Act } from "./RunTable";
import { titleOf, withTitles } from "./titles";
import { useWide } from "../lib/wide";
import { ops } from "../words/ops";

const EVERY_MS = 3_000;

/** How many runs are shown at once. */
const SIZE = 50;

/** The runs of all chats, by what they came to, how far they were delivered, when they began and whose they are. */
export function RunsPage({ act }: { act: Act }) {
  const filters = filtersIn(useQuery());
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
    <FindById act={act} titled={(title) => show({ ...ANY, title })}>
      <section aria-labelledby="all-runs">
        <h2 id="all-runs">{ops.runs}</h2>
        <p className="hint">{ops.runsAbout}</p>
        <div className="filters">
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
              {ops.onlyOf} <bdi>{visible(titleOf(filters.thread) ?? filters.thread)}</bdi> ✕
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
    </FindById>
  );
}
