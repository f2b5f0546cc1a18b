import { useState } from "react";
import type { RunInfo } from "../server/api";
import { Menu } from "../inbox/Menu";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { noneWords, RESULTS, resultWords, runsPath } from "./runfilters";
import { RunTable, STATES, stateWords, type Act } from "./RunTable";

const EVERY_MS = 3_000;

interface Props {
  /** Where they are listed. */
  path: string;
  /** How many are shown at once. */
  size: number;
  act: Act;
  /** They are of several chats. */
  chats?: boolean;
}

/** A list of runs by what they came to and how far they were delivered, and what can be done about each. */
export function FilteredRuns({ path, size, act, chats = false }: Props) {
  const [filters, setFilters] = useState({ result: "", state: "" });
  const { data, error, refresh, place } = usePages<RunInfo>(runsPath(path, filters, size), EVERY_MS);
  const actHere: Act = async (...what) => {
    await act(...what);
    refresh();
  };
  return (
    <>
      <div className="filters">
        <Menu label="Outcome" hook="run-result" value={filters.result} all="any" values={RESULTS} words={resultWords} choose={(result) => setFilters({ ...filters, result })} />
        <Menu label="Dispatches" hook="dispatch-state" value={filters.state} all="of any state" values={STATES} words={stateWords} choose={(state) => setFilters({ ...filters, state })} />
      </div>
      {error && <p className="fault">{error.message}</p>}
      {data && data.items.length > 0 && <RunTable runs={data.items} act={actHere} chats={chats} />}
      {data?.items.length === 0 && (
        <p className="hint" data-testid="runs-none">
          {noneWords(filters, place)}
        </p>
      )}
      <Pager place={place} of="runs" />
    </>
  );
}
