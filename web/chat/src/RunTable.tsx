import type { RunInfo } from "./api";
import { Guarded } from "./Guarded";
import { RunFacts } from "./RunFacts";
import { ago } from "./time";

/** Does something and says what became of it; `outcome` reads the answer. */
export type Act = (what: string, method: string, path: string, body?: unknown, outcome?: (answer: Record<string, unknown>) => string) => Promise<void>;

/** The states of a dispatch, in the order of its life. */
export const STATES: ReadonlyArray<RunInfo["state"]> = ["queued", "claimed", "acked", "cancelled", "superseded", "dead_letter"];

export const stateWords = (state: string) => state.replace("_", " ");

function outcomeOf(run: RunInfo): string {
  const { outcome } = run;
  if (!outcome) return run.error ?? "";
  if (outcome.type === "RUN_ERROR") return `${outcome.code ?? "agent_error"}: ${outcome.message ?? ""}`;
  return outcome.outcome?.type ?? "success";
}

/** Runs with their dispatches, and what can be done about each. `across`: they are of several namespaces. */
export function RunTable({ runs, act, across = false }: { runs: RunInfo[]; act: Act; across?: boolean }) {
  return (
    <div className="scroll runs" tabIndex={0} role="group" aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Dispatch</th>
            <th scope="col">Attempts</th>
            <th scope="col">Outcome</th>
            <th scope="col">Updated</th>
            {across && <th scope="col">Namespace</th>}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.id} run={run} act={act} across={across} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ run, act, across }: { run: RunInfo; act: Act; across: boolean }) {
  const path = `/threads/${encodeURIComponent(run.threadId)}/runs/${encodeURIComponent(run.id)}`;
  const of = across ? `?namespace=${encodeURIComponent(run.namespace)}` : "";
  const live = run.state === "queued" || run.state === "claimed";
  const kind = run.state === "dead_letter" ? "late" : run.state === "acked" ? "done" : "";
  return (
    <tr data-testid="run" data-state={run.state} data-run-id={run.runId}>
      <td>
        <code title={run.id}>{run.runId}</code>
        <RunFacts run={run} />
      </td>
      <td>
        <span className={`tag ${kind}`} title={run.claimedBy && `by ${run.claimedBy}`}>
          {stateWords(run.state)}
        </span>
      </td>
      <td>
        {Math.min(run.attempts, run.maxAttempts)} of {run.maxAttempts}
      </td>
      <td>{outcomeOf(run)}</td>
      <td>{ago(run.updatedAt)}</td>
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
          {run.state === "dead_letter" && !run.requeuedAs && (
            <button type="button" data-testid="requeue" onClick={() => void act("Requeue", "POST", `${path}/requeue${of}`)}>
              Requeue
            </button>
          )}
          {run.requeuedAs && <span className="hint">requeued</span>}
        </Guarded>
      </td>
    </tr>
  );
}
