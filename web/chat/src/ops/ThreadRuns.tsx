import { useState } from "react";
import type { RunInfo, ThreadInfo } from "../server/api";
import { Guarded } from "../lib/Guarded";
import { Pager } from "../server/Pager";
import { PauseControl } from "./PauseControl";
import { useCountedPages } from "../server/pages";
import { RunTable, STATES, stateWords, type Act } from "./RunTable";

const EVERY_MS = 3_000;

/** How many runs are shown at once. */
const SIZE = 50;

/** The runs of a thread with their dispatches, and what can be done about the thread. `act` does it. */
export function ThreadRuns({ thread, act }: { thread: ThreadInfo; act: Act }) {
  const base = `/threads/${encodeURIComponent(thread.threadId)}`;
  const [state, setState] = useState("");
  const { data, error, refresh, place } = useCountedPages<RunInfo>(`${base}/runs?state=${state}`, SIZE, EVERY_MS);
  const actHere: Act = async (...what) => {
    await act(...what);
    refresh();
  };
  return (
    <div className="thread-runs">
      <Guarded subject={`${thread.threadId} ${thread.active} ${thread.waiting}`} className="actions">
        <PauseControl base={base} disabled={!thread.active} act={actHere} />
        <button
          type="button"
          data-testid="unpause"
          title="Goes on with a run that was paused"
          disabled={!thread.active && !thread.waiting}
          onClick={() =>
            void actHere("Go on", "POST", `${base}/unpause`, undefined, ({ resumed }) => (resumed ? "the run goes on" : "nothing was paused"))
          }
        >
          Go on
        </button>
        <button
          type="button"
          data-testid="interrupt-thread"
          title="Stops the run, what is queued behind it, and open questions"
          disabled={!thread.active && thread.queued === 0}
          onClick={() =>
            void actHere("Stop all", "POST", `${base}/interrupt`, { reason: "interrupted by an operator" }, ({ active, superseded }) =>
              active || (superseded as unknown[] | undefined)?.length ? "what ran or waited has ended" : "nothing was under way",
            )
          }
        >
          Stop all
        </button>
      </Guarded>
      <label className="filter">
        <span className="hint">Dispatches</span>
        <select value={state} data-testid="dispatch-state" onChange={(event) => setState(event.target.value)}>
          <option value="">of any state</option>
          {STATES.map((one) => (
            <option key={one} value={one}>
              {stateWords(one)}
            </option>
          ))}
        </select>
      </label>
      {error && <p className="fault">{error.message}</p>}
      {data && data.length > 0 && <RunTable runs={data} act={actHere} />}
      {data?.length === 0 && <p className="hint">{state ? `None is ${stateWords(state)}.` : "None yet."}</p>}
      <Pager place={place} of="runs" />
    </div>
  );
}
