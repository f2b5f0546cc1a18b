import type { ReactNode } from "react";
import type { RunInfo } from "../server/api";
import { ForgetRuns } from "./ForgetRuns";
import { Guarded } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { PauseControl } from "./PauseControl";
import { RunFacts } from "./RunFacts";
import type { Act } from "./RunTable";
import { isPaused } from "./runstates";
import { RunTimeline } from "./RunTimeline";

interface Props {
  run: RunInfo;
  act: Act;
  /** It may be of another namespace, whose chats cannot be acted on here. */
  across: boolean;
  /** Lists the runs of its chat alone. */
  only?: (threadId: string) => void;
  close: () => void;
}

/** All that is known of a run, and what can be done about its chat. */
export function RunPanel({ run, act, across, only, close }: Props) {
  const facts: Array<[string, ReactNode]> = [
    ["Run", <code key="run">{visible(run.runId)}</code>],
    ["Id", <code key="id">{run.id}</code>],
    ["Attempts", `${Math.min(run.attempts, run.maxAttempts)} of ${run.maxAttempts}`],
  ];
  if (across) facts.push(["Namespace", <code key="namespace">{visible(run.namespace)}</code>]);
  return (
    <aside className="panel-aside" aria-label="The chosen run" data-testid="run-panel">
      <div className="row">
        <h3>Run</h3>
        <span className="spacer" />
        <button type="button" className="quiet" data-testid="panel-close" onClick={close}>
          Close
        </button>
      </div>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <RunFacts run={run} />
      <RunTimeline run={run} across={across} />
      {!across && <ChatActions run={run} act={act} only={only} />}
    </aside>
  );
}

/** What can be done about the whole chat of a run. */
function ChatActions({ run, act, only }: { run: RunInfo; act: Act; only?: (threadId: string) => void }) {
  const base = `/threads/${encodeURIComponent(run.threadId)}`;
  const live = run.state === "queued" || run.state === "claimed";
  const paused = isPaused(run);
  return (
    <>
      <h3>Its chat</h3>
      <Guarded subject={`${run.id} ${live} ${paused}`} className="actions">
        <PauseControl base={base} disabled={run.state !== "claimed"} act={act} />
        <button
          type="button"
          data-testid="unpause"
          title="Goes on with a run that was paused"
          disabled={!paused}
          onClick={() => void act("Go on", "POST", `${base}/unpause`, undefined, ({ resumed }) => (resumed ? "the run goes on" : "nothing was paused"))}
        >
          Go on
        </button>
        <button
          type="button"
          data-testid="interrupt-thread"
          title="Stops the run, what is queued behind it, and open questions"
          disabled={!live}
          onClick={() =>
            void act("Stop all", "POST", `${base}/interrupt`, { reason: "interrupted by an operator" }, ({ active, superseded }) =>
              active || (superseded as unknown[] | undefined)?.length ? "what ran or waited has ended" : "nothing was under way",
            )
          }
        >
          Stop all
        </button>
        {only && (
          <button type="button" className="quiet" data-testid="only-chat" data-edits onClick={() => only(run.threadId)}>
            Runs of this chat
          </button>
        )}
      </Guarded>
      <ForgetRuns base={base} act={act} />
    </>
  );
}
