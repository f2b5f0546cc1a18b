import type { ThreadInfo } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { FilteredRuns } from "./FilteredRuns";
import { ForgetRuns } from "./ForgetRuns";
import { PauseControl } from "./PauseControl";
import type { Act } from "./RunTable";

/** How many runs are shown at once. */
const SIZE = 50;

/** The runs of a thread with their dispatches, and what can be done about the thread. `act` does it. */
export function ThreadRuns({ thread, act }: { thread: ThreadInfo; act: Act }) {
  const base = `/threads/${encodeURIComponent(thread.threadId)}`;
  return (
    <div className="thread-runs">
      <Guarded subject={`${thread.threadId} ${thread.active} ${thread.waiting}`} className="actions">
        <PauseControl base={base} disabled={!thread.active} act={act} />
        <button
          type="button"
          data-testid="unpause"
          title="Goes on with a run that was paused"
          disabled={!thread.active && !thread.waiting}
          onClick={() =>
            void act("Go on", "POST", `${base}/unpause`, undefined, ({ resumed }) => (resumed ? "the run goes on" : "nothing was paused"))
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
            void act("Stop all", "POST", `${base}/interrupt`, { reason: "interrupted by an operator" }, ({ active, superseded }) =>
              active || (superseded as unknown[] | undefined)?.length ? "what ran or waited has ended" : "nothing was under way",
            )
          }
        >
          Stop all
        </button>
      </Guarded>
      <FilteredRuns path={`${base}/runs`} size={SIZE} act={act} />
      <ForgetRuns base={base} act={act} />
    </div>
  );
}
