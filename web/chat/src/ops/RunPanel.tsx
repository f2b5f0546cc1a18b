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
import { ops } from "../words/ops";

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
    [ops.run, <code key="run">{visible(run.runId)}</code>],
    [ops.id, <code key="id">{run.id}</code>],
    [ops.attempts, ops.nOf(Math.min(run.attempts, run.maxAttempts), run.maxAttempts)],
  ];
  if (across) facts.push([ops.namespace, <code key="namespace">{visible(run.namespace)}</code>]);
  return (
    <aside className="panel-aside" aria-label={ops.chosenRun} data-testid="run-panel">
      <div className="row">
        <h3>{ops.run}</h3>
        <span className="spacer" />
        <button type="button" className="quiet" data-testid="panel-close" onClick={close}>
          {ops.close}
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
      <h3>{ops.itsChat}</h3>
      <Guarded subject={`${run.id} ${live} ${paused}`} className="actions">
        <PauseControl base={base} disabled={run.state !== "claimed"} act={act} />
        <button
          type="button"
          data-testid="unpause"
          title={ops.goOnAbout}
          disabled={!paused}
          onClick={() => void act(ops.goOn, "POST", `${base}/unpause`, undefined, ({ resumed }) => (resumed ? ops.goesOn : ops.nothingPaused))}
        >
          {ops.goOn}
        </button>
        <button
          type="button"
          data-testid="interrupt-thread"
          title={ops.stopAllAbout}
          disabled={!live}
          onClick={() =>
            void act(ops.stopAll, "POST", `${base}/interrupt`, { reason: "interrupted by an operator" }, ({ active, superseded }) =>
              active || (superseded as unknown[] | undefined)?.length ? ops.stoppedAll : ops.nothingUnderWay,
            )
          }
        >
          {ops.stopAll}
        </button>
        {only && (
          <button type="button" className="quiet" data-testid="only-chat" data-edits onClick={() => only(run.threadId)}>
            {ops.runsOfChat}
          </button>
        )}
      </Guarded>
      <ForgetRuns base={base} act={act} />
    </>
  );
}
