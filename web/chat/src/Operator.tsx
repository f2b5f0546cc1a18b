import { useState } from "react";
import { ApiError, call, usePolled, type Page, type RunInfo, type ThreadInfo } from "./api";
import { Bar } from "./Bar";
import { onLink, threadHref } from "./route";
import { SignIn } from "./SignIn";
import { bearer } from "./session";
import { ago } from "./time";

const EVERY_MS = 3_000;

const STATES = ["queued", "claimed", "acked", "cancelled", "superseded", "dead_letter"];

/** Threads, their runs and dispatches, and what could not be delivered. */
export default function Operator() {
  const counts = usePolled<Record<string, number>>("/dispatches/counts", EVERY_MS);
  const letters = usePolled<Page<RunInfo>>("/dispatches?state=dead_letter&limit=50", EVERY_MS);
  const threads = usePolled<Page<ThreadInfo>>("/threads?limit=50", EVERY_MS);
  const [chosen, choose] = useState<string>();
  const [said, setSaid] = useState<{ text: string; bad: boolean }>();

  const error = counts.error ?? letters.error ?? threads.error;
  if (error?.status === 401) {
    return (
      <div className="place">
        <Bar />
        <div className="page">
          <main>
            <SignIn wrong={bearer() !== undefined} />
          </main>
        </div>
      </div>
    );
  }
  const act: Act = async (what, method, path, body, outcome) => {
    try {
      const answer = await call(method, path, body);
      setSaid({ text: `${what}: ${outcome?.(answer as Record<string, unknown>) ?? "done"}.`, bad: false });
    } catch (failed) {
      setSaid({ text: `${what}: ${failed instanceof ApiError ? failed.message : String(failed)}`, bad: true });
    }
    counts.refresh();
    letters.refresh();
    threads.refresh();
  };
  return (
    <div className="place">
      <Bar />
      <main className="page wide">
        {error && (
          <p className="banner" role="alert" data-testid="ops-error">
            {error.status === 403 ? "Your identity may not operate this server: it needs the scope admin." : error.message}
          </p>
        )}
        {said && (
          <p className={said.bad ? "fault" : "hint"} role="status" data-testid="ops-said">
            {said.text}
          </p>
        )}
        <section aria-labelledby="dispatches">
          <h2 id="dispatches">Dispatches</h2>
          <dl className="counts" data-testid="counts">
            {STATES.filter((state) => counts.data?.[state] !== undefined).map((state) => (
              <div key={state} data-state={state}>
                <dt>{state.replace("_", " ")}</dt>
                <dd>{counts.data?.[state]}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section aria-labelledby="letters">
          <h2 id="letters">Dead letters</h2>
          {letters.data?.items.length === 0 && <p className="hint">None: everything was delivered.</p>}
          {letters.data && letters.data.items.length > 0 && <Runs runs={letters.data.items} act={act} across />}
        </section>
        <section aria-labelledby="all-threads">
          <h2 id="all-threads">Threads</h2>
          {threads.data?.items.length === 0 && <p className="hint">None yet.</p>}
          <ul className="rows">
            {threads.data?.items.map((thread) => (
              <li key={thread.threadId} data-testid="ops-thread" data-thread-id={thread.threadId}>
                <div className="row">
                  <button
                    type="button"
                    className="quiet"
                    aria-expanded={chosen === thread.threadId}
                    onClick={() => choose(chosen === thread.threadId ? undefined : thread.threadId)}
                  >
                    {thread.title || "Untitled"}
                  </button>
                  <span className="hint">{ago(thread.updatedAt)}</span>
                  {thread.active && <span className="tag asked">working</span>}
                  {thread.waiting && <span className="tag asked">waiting</span>}
                  {thread.queued > 0 && <span className="tag">{thread.queued} queued</span>}
                  <span className="spacer" />
                  <a href={threadHref(thread.threadId)} onClick={onLink}>
                    Open
                  </a>
                </div>
                {chosen === thread.threadId && <ThreadRuns thread={thread} act={act} />}
              </li>
            ))}
          </ul>
        </section>
      </main>
    </div>
  );
}

/** Does something and says what became of it; `outcome` reads the answer. */
type Act = (what: string, method: string, path: string, body?: unknown, outcome?: (answer: Record<string, unknown>) => string) => Promise<void>;

function ThreadRuns({ thread, act }: { thread: ThreadInfo; act: Act }) {
  const base = `/threads/${encodeURIComponent(thread.threadId)}`;
  const { data, error, refresh } = usePolled<Page<RunInfo>>(`${base}/runs?limit=50`, EVERY_MS);
  const actHere: Act = async (...what) => {
    await act(...what);
    refresh();
  };
  return (
    <div className="thread-runs">
      <div className="actions">
        <button
          type="button"
          data-testid="pause"
          title="The run asks before its next step whether to go on"
          disabled={!thread.active}
          onClick={() =>
            void actHere("Pause", "POST", `${base}/pause`, undefined, ({ paused }) => (paused ? "the run stops at its next step" : "no run is under way"))
          }
        >
          Pause at the next step
        </button>
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
          title="Stops the run and what is queued behind it; open questions stay open"
          disabled={!thread.active && thread.queued === 0}
          onClick={() =>
            void actHere("Stop all", "POST", `${base}/interrupt`, { reason: "interrupted by an operator" }, ({ active, superseded }) =>
              active || (superseded as unknown[] | undefined)?.length ? "what ran or waited has ended" : "nothing was under way",
            )
          }
        >
          Stop all
        </button>
      </div>
      {error && <p className="fault">{error.message}</p>}
      {data && <Runs runs={data.items} act={actHere} />}
    </div>
  );
}

function outcomeOf(run: RunInfo): string {
  const { outcome } = run;
  if (!outcome) return run.error ?? "";
  if (outcome.type === "RUN_ERROR") return `${outcome.code ?? "error"}: ${outcome.message ?? ""}`;
  return outcome.outcome?.type ?? "success";
}

function Runs({ runs, act, across = false }: { runs: RunInfo[]; act: Act; across?: boolean }) {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Attempts</th>
            <th scope="col">Outcome</th>
            <th scope="col">Updated</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const path = `/threads/${encodeURIComponent(run.threadId)}/runs/${encodeURIComponent(run.id)}`;
            const of = across ? `?namespace=${encodeURIComponent(run.namespace)}` : "";
            const live = run.state === "queued" || run.state === "claimed";
            return (
              <tr key={run.id} data-testid="run" data-state={run.state} data-run-id={run.runId}>
                <td>
                  <code title={run.id}>{run.runId}</code>
                </td>
                <td>
                  <span className={`tag ${run.state === "dead_letter" ? "late" : run.state === "acked" ? "done" : ""}`}>{run.state.replace("_", " ")}</span>
                </td>
                <td>
                  {Math.min(run.attempts, run.maxAttempts)} of {run.maxAttempts}
                </td>
                <td>{outcomeOf(run)}</td>
                <td>{ago(run.updatedAt)}</td>
                <td>
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
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
