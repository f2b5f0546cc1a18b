import { useState } from "react";
import type { RunInfo } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { onLink, threadHref } from "../lib/route";
import { RunPanel } from "./RunPanel";
import { runDetail, runState } from "./runstates";
import { ago } from "../../../react/lib/time";
import { tookWords } from "./runway";
import { parts } from "../words";
import { ops } from "../words/ops";

/** Does something and says what became of it; `outcome` reads the answer. */
export type Act = (what: string, method: string, path: string, body?: unknown, outcome?: (answer: Record<string, unknown>) => string) => Promise<void>;

/** The states of a dispatch, in the order of its life. */
export const STATES: ReadonlyArray<RunInfo["state"]> = ["queued", "claimed", "acked", "cancelled", "superseded", "dead_letter"];

export const stateWords = (state: RunInfo["state"]) => ops.states[state] ?? state;

interface Props {
  runs: readonly RunInfo[];
  act: Act;
  /** They are of several namespaces. */
  across?: boolean;
  /** The id of one that is looked at from the beginning. */
  shown?: string;
  /** Lists the runs of a chat alone. Without it no panel offers that. */
  only?: (threadId: string) => void;
}

/** Runs, and beside them all that is known of the chosen one. */
export function RunTable({ runs, act, across = false, shown, only }: Props) {
  const [chosen, choose] = useState<RunInfo | undefined>(() => runs.find(({ id }) => id === shown));
  // A run that left the list is shown as it was.
  const run = chosen && (runs.find(({ id }) => id === chosen.id) ?? chosen);
  return (
    <div className="list-and-panel" data-open={run !== undefined}>
      <div className="scroll runs" tabIndex={0} role="group" aria-label={ops.runs}>
        <table>
          <thead>
            <tr>
              <th scope="col">{ops.state}</th>
              <th scope="col">
                <span className="visually-hidden">{ops.actions}</span>
              </th>
              {Object.values(ops.columns).map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((one) => (
              <Row key={one.id} run={one} act={act} across={across} open={one.id === run?.id} choose={() => choose(one.id === run?.id ? undefined : one)} />
            ))}
          </tbody>
        </table>
      </div>
      {run && <RunPanel key={run.id} run={run} act={act} across={across} only={only} close={() => choose(undefined)} />}
    </div>
  );
}

const dismissed = ({ stopped }: Record<string, unknown>) => (stopped ? ops.dismissed : ops.noDeadLetter);

function Row({ run, act, across, open, choose }: { run: RunInfo; act: Act; across: boolean; open: boolean; choose: () => void }) {
  const path = `/threads/${encodeURIComponent(run.threadId)}/runs/${encodeURIComponent(run.id)}`;
  const of = across ? `?namespace=${encodeURIComponent(run.namespace)}` : "";
  const live = run.state === "queued" || run.state === "claimed";
  const { words, tone } = runState(run);
  return (
    <tr data-testid="run" data-state={run.state} data-run-id={run.runId} data-thread-id={run.threadId} data-open={open}>
      <td>
        <button type="button" className="quiet" aria-expanded={open} data-testid="run-way" title={run.claimedBy ? ops.dispatchBy(stateWords(run.state), run.claimedBy) : ops.dispatch(stateWords(run.state))} onClick={choose}>
          <span className={`tag ${tone}`} data-testid="run-state">
            {words}
          </span>
        </button>
      </td>
      <td>
        <Guarded subject={`${run.id} ${run.state}`}>
          {live && (
            <button type="button" data-testid="cancel-run" onClick={() => void act(ops.cancel, "POST", `${path}/cancel${of}`, { reason: "cancelled by an operator" })}>
              {ops.cancel}
            </button>
          )}
          {run.state === "dead_letter" && !run.continuedAs && (
            <>
              <button type="button" data-testid="requeue" onClick={() => void act(ops.requeue, "POST", `${path}/requeue${of}`)}>
                {ops.requeue}
              </button>
              <button type="button" className="quiet" data-testid="dismiss" onClick={() => void act(ops.dismiss, "POST", `${path}/cancel${of}`, { reason: "by an operator" }, dismissed)}>
                {ops.dismiss}
              </button>
            </>
          )}
        </Guarded>
      </td>
      <td>
        <a href={threadHref(run.threadId, across ? run.namespace : undefined)} onClick={onLink}>
          <code title={run.threadId}>{visible(run.threadId)}</code>
        </a>
      </td>
      <td>{run.agent ? <code>{visible(run.agent)}</code> : ops.default}</td>
      <td>{ago(run.createdAt, Date.now(), parts)}</td>
      <td>{tookWords(run)}</td>
      <td>
        <bdi>{runDetail(run)}</bdi>
      </td>
    </tr>
  );
}
