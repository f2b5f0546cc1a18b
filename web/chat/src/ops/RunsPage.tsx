import { useState } from "react";
import type { RunInfo } from "../server/api";
import { FindById } from "./FindById";
import { Menu } from "../inbox/Menu";
import { visible } from "../../../react/lib/misleading";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { ANY, noneWords, RESULTS, resultWords, runsPath } from "./runfilters";
import { RunTable, STATES, stateWords, type Act } from "./RunTable";
import { ops } from "../words/ops";

const EVERY_MS = 3_000;

/** How many runs are shown at once. */
const SIZE = 50;

/** The runs of all chats, by what they came to and how far they were delivered. */
export function RunsPage({ act }: { act: Act }) {
  const [filters, setFilters] = useState(ANY);
  const { data, error, refresh, place } = usePages<RunInfo>(runsPath(filters, SIZE), EVERY_MS);
  const actHere: Act = async (...what) => {
    await act(...what);
    refresh();
  };
  const agents = [...new Set([...(data?.items ?? []).map(({ agent }) => agent ?? ""), filters.agent])].filter(Boolean).sort();
  return (
    <>
      <FindById act={act} />
      <section aria-labelledby="all-runs">
        <h2 id="all-runs">{ops.runs}</h2>
        <p className="hint">{ops.runsAbout}</p>
        <div className="filters">
          <Menu label={ops.outcome} hook="run-result" value={filters.result} all={ops.any} values={RESULTS} words={resultWords} choose={(result) => setFilters({ ...filters, result })} />
          <Menu label={ops.dispatches} hook="dispatch-state" value={filters.state} all={ops.anyState} values={STATES} words={(state) => stateWords(state as RunInfo["state"])} choose={(state) => setFilters({ ...filters, state })} />
          <Menu label={ops.agent} hook="run-agent" value={filters.agent} all={ops.any} values={agents.length > 1 || filters.agent ? agents : undefined} choose={(agent) => setFilters({ ...filters, agent })} />
          {filters.thread && (
            <button type="button" className="quiet" data-testid="any-chat" onClick={() => setFilters({ ...filters, thread: "" })}>
              {ops.onlyOf} <code>{visible(filters.thread)}</code> ✕
            </button>
          )}
        </div>
        {error && <p className="fault">{error.message}</p>}
        {data && data.items.length > 0 && <RunTable runs={data.items} act={actHere} only={(thread) => setFilters({ ...ANY, thread })} />}
        {data?.items.length === 0 && (
          <p className="hint" data-testid="runs-none">
            {noneWords(filters, place)}
          </p>
        )}
        <Pager place={place} of={ops.ofRuns} />
      </section>
    </>
  );
}
