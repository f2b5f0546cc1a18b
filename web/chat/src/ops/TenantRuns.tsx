import { useMemo, useState } from "react";
import { Choices } from "../inbox/Choices";
import { learnNames } from "./runnames";
import { type RunFilters, RUNNING, sinceOf } from "./runfilters";
import { RunTable, type Act } from "./RunTable";
import { type Noticed, resultOf, useRunsOf, useTenantsRuns } from "./tenantruns";
import { staleWords } from "../lib/words";
import { ops } from "../words/ops";

/** How many more are shown at once. */
const SIZE = 50;

interface Props {
  filters: RunFilters;
  act: Act;
  show: (filters: RunFilters) => void;
  /** How many run now, as the server counts them; undefined: it is not known. */
  running?: number;
}

const NONE: Noticed[] = [];

/** The runs of all users of the tenant, by what they came to, since when and whose agent. */
export function TenantRuns({ filters, act, show, running }: Props) {
  const { result, agent } = filters;
  const [size, setSize] = useState(SIZE);
  const { data, error, refresh, missed, cut, heard } = useTenantsRuns(sinceOf(filters), result === "error");
  const all = data ?? NONE;
  const fit = useMemo(() => all.filter((one) => (!result || resultOf(one) === result) && (!agent || one.agent === agent)), [all, result, agent]);
  const shown = useMemo(() => fit.slice(0, size), [fit, size]);
  const { runs, whole } = useRunsOf(shown, heard);
  learnNames(runs);
  const actHere: Act = async (...what) => {
    await act(...what);
    refresh();
  };
  const agents = [...new Set([...all.map((one) => one.agent ?? ""), agent])].filter(Boolean).sort();
  const older = result === RUNNING && data && !agent ? Math.max(0, (running ?? 0) - fit.length) : 0;
  return (
    <>
      {(agents.length > 1 || agent) && (
        <div className="filters">
          <Choices label={ops.agent} hook="run-agent" value={agent} all={ops.any} values={agents} choose={(one) => show({ ...filters, agent: one })} />
        </div>
      )}
      {error && <p className="fault">{staleWords(error, data !== undefined)}</p>}
      {missed && <p className="hint">{ops.noticesMissed}</p>}
      {cut && <p className="hint">{ops.noticesCut}</p>}
      {older > 0 && (
        <p className="hint" data-testid="runs-older">
          {ops.runningOlder(older)}
        </p>
      )}
      {runs.length > 0 && <RunTable runs={runs} act={actHere} across />}
      {fit.length > size && (
        <p className="hint">
          {ops.runsShown(size, fit.length)}{" "}
          <button type="button" className="quiet" data-testid="runs-more" onClick={() => setSize(size + SIZE)}>
            {ops.showMore}
          </button>
        </p>
      )}
      {!data && !error && <p className="hint">{ops.looking}</p>}
      {data && whole && runs.length === 0 && (fit.length > 0 || !cut) && (
        <p className="hint" data-testid="runs-none">
          {fit.length > 0 ? ops.runsUnread : ops.noneInTime}
        </p>
      )}
    </>
  );
}
