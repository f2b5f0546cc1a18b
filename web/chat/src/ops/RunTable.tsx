import { Fragment, useId, useState } from "react";
import type { RunInfo } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { onLink, threadHref } from "../lib/route";
import { RunFacts } from "./RunFacts";
import { runDetail, runState } from "./runstates";
import { RunTimeline } from "./RunTimeline";
import { ago } from "../../../react/lib/time";

/** Does something and says what became of it; `outcome` reads the answer. */
export type Act = (what: string, method: string, path: string, body?: unknown, outcome?: (answer: Record<string, unknown>) => string) => Promise<void>;

/** The states of a dispatch, in the order of its life. */
export const STATES: ReadonlyArray<RunInfo["state"]> = ["queued", "claimed", "acked", "cancelled", "superseded", "dead_letter"];

export const stateWords = (state: string) => state.replace("_", " ");

interface Props {
  runs: RunInfo[];
  act: Act;
  /** They are of several namespaces. */
  across?: boolean;
  /** They are of several chats of one's own. */
  chats?: boolean;
  /** The id of one whose way is shown at once. */
  shown?: string;
}

/** Runs with their dispatches, and what can be done about each. */
export function RunTable({ runs, act, across = false, chats = false, shown }: Props) {
  return (
    <div className="scroll runs" tabIndex={0} role="group" aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Attempts</th>
            <th scope="col">Why</th>
            <th scope="col">Updated</th>
            {chats && <th scope="col">Chat</th>}
            {across && <th scope="col">Namespace</th>}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.id} run={run} act={act} across={across} chats={chats} open={run.id === shown} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const dismissed = ({ stopped }: Record<string, unknown>) => (stopped ? "done, it cannot be requeued any more" : "it is no dead letter any more");

function Row({ run, act, across, chats, open: atFirst }: { run: RunInfo; act: Act; across: boolean; chats: boolean; open: boolean }) {
  const [open, setOpen] = useState(atFirst);
  const way = useId();
  const path = `/threads/${encodeURIComponent(run.threadId)}/runs/${encodeURIComponent(run.id)}`;
  const of = across ? `?namespace=${encodeURIComponent(run.namespace)}` : "";
  const live = run.state === "queued" || run.state === "claimed";
  const { words, tone } = runState(run);
  return (
    <Fragment>
      <tr data-testid="run" data-state={run.state} data-run-id={run.runId}>
        <td>
          <code title={run.id}>{run.runId}</code>
          <RunFacts run={run} />
        </td>
        <td>
          <span className={`tag ${tone}`} data-testid="run-state" title={`Dispatch ${stateWords(run.state)}${run.claimedBy ? `, by ${run.claimedBy}` : ""}`}>
            {words}
          </span>
        </td>
        <td>
          {Math.min(run.attempts, run.maxAttempts)} of {run.maxAttempts}
        </td>
        <td dir="auto">{runDetail(run)}</td>
        <td>{ago(run.updatedAt)}</td>
        {chats && (
          <td>
            <a href={threadHref(run.threadId)} onClick={onLink}>
              <code title={run.threadId}>{visible(run.threadId)}</code>
            </a>
          </td>
        )}
        {across && (
          <td>
            <code>{run.namespace}</code>
          </td>
        )}
        <td>
          <Guarded subject={`${run.id} ${run.state}`}>
            {live && (
              <button type="button" data-testid="cancel-run" onClick={() => void act("Cancel", "POST", `${path}/cancel${of}`, { reason: "cancelled by an operator" })}>
                Cancel
              </button>
            )}
            {run.state === "dead_letter" && !run.continuedAs && (
              <>
                <button type="button" data-testid="requeue" onClick={() => void act("Requeue", "POST", `${path}/requeue${of}`)}>
                  Requeue
                </button>
                <button type="button" className="quiet" data-testid="dismiss" onClick={() => void act("Dismiss", "POST", `${path}/cancel${of}`, { reason: "by an operator" }, dismissed)}>
                  Dismiss
                </button>
              </>
            )}
          </Guarded>
          <button type="button" className="quiet" aria-expanded={open} aria-controls={way} data-testid="run-way" onClick={() => setOpen(!open)}>
            History
          </button>
        </td>
      </tr>
      {open && (
        <tr id={way}>
          <td colSpan={6 + Number(across) + Number(chats)}>
            <RunTimeline run={run} across={across} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}
