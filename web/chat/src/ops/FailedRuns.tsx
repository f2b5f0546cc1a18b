import { useMemo } from "react";
import { type Failed, useFailures, useRunsOf } from "./failures";
import { learnNames } from "./runnames";
import { RunTable, type Act } from "./RunTable";
import { staleWords } from "../lib/words";
import { ops } from "../words/ops";

/** How many are shown at once. */
const SIZE = 50;

interface Props {
  /** By the names of AGES. */
  since: string;
  act: Act;
}

const NONE: Failed[] = [];

/** The runs of all users of the tenant that have failed. */
export function FailedRuns({ since, act }: Props) {
  const { data, error, missed, cut } = useFailures(since);
  const failed = data ?? NONE;
  const latest = useMemo(() => failed.slice(0, SIZE), [failed]);
  const { runs, whole } = useRunsOf(latest);
  learnNames(runs);
  return (
    <>
      {error && <p className="fault">{staleWords(error, data !== undefined)}</p>}
      {missed && <p className="hint">{ops.failedMissed}</p>}
      {cut && <p className="hint">{ops.failedCut}</p>}
      {failed.length > SIZE && <p className="hint">{ops.failedShown(SIZE, failed.length)}</p>}
      {runs.length > 0 && <RunTable runs={runs} act={act} across />}
      {!data && !error && <p className="hint">{ops.looking}</p>}
      {data && whole && runs.length === 0 && (failed.length > 0 || !cut) && (
        <p className="hint" data-testid="runs-none">
          {failed.length === 0 ? ops.noneFailed : ops.failedUnread}
        </p>
      )}
    </>
  );
}
