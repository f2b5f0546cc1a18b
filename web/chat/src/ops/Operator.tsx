import { useState } from "react";
import { ApiError, call, usePolled, type RunInfo, type ThreadInfo } from "../server/api";
import { UpstreamSection, WebhookSection, WorkSection } from "./Backlog";
import { Bar } from "../bar/Bar";
import { DeadLetters } from "./DeadLetters";
import { FilteredRuns } from "./FilteredRuns";
import { FindById } from "./FindById";
import { NodesSection } from "./Nodes";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { QuestionsSection } from "./QuestionsSection";
import { onLink, threadHref } from "../lib/route";
import { STATES, stateWords, type Act } from "./RunTable";
import { SignIn } from "../server/SignIn";
import { bearer } from "../server/session";
import { StoreSection } from "./StoreSection";
import { ThreadRuns } from "./ThreadRuns";
import { hasFailed, stands } from "../../../react/threads/stands";
import { ago } from "../../../react/lib/time";
import { sentence, staleWords, wordsFor } from "../lib/words";

const EVERY_MS = 3_000;

/** How many threads or letters are shown at once. */
const SIZE = 50;

/** How many runs of all threads are. */
const RUNS = 10;

/** Threads, their runs and dispatches, what waits to be delivered and what could not be. */
export default function Operator() {
  const counts = usePolled<Record<string, number>>("/dispatches/counts", EVERY_MS);
  const letters = usePages<RunInfo>(`/dispatches?state=dead_letter&limit=${SIZE}`, EVERY_MS);
  const threads = usePages<ThreadInfo>(`/threads?limit=${SIZE}`, EVERY_MS);
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
  const refresh = () => {
    counts.refresh();
    letters.refresh();
    threads.refresh();
  };
  const act: Act = async (what, method, path, body, outcome) => {
    try {
      const answer = await call(method, path, body);
      setSaid({ text: `${what}: ${outcome?.(answer as Record<string, unknown>) ?? "done"}.`, bad: false });
    } catch (failed) {
      setSaid({ text: `${what}: ${failed instanceof ApiError ? `${sentence(failed.message)} ${wordsFor(failed.code).advice}` : String(failed)}`, bad: true });
    }
    refresh();
  };
  return (
    <div className="place">
      <Bar />
      <main className="page wide">
        {error && (
          <p className="banner" role="alert" data-testid="ops-error">
            {error.status === 403 ? "Your identity may not operate this server: it needs the scope admin." : staleWords(error, threads.data !== undefined)}
          </p>
        )}
        {said && (
          <p className={said.bad ? "fault" : "hint"} role="status" data-testid="ops-said">
            {said.text}
          </p>
        )}
        <FindById act={act} />
        <NodesSection />
        <StoreSection />
        <QuestionsSection />
        <section aria-labelledby="dispatches">
          <h2 id="dispatches">Dispatches</h2>
          <p className="hint">Dispatches of the whole tenant, by how far they were delivered. The lists below say how each run ended.</p>
          <dl className="counts" data-testid="counts">
            {STATES.filter((state) => counts.data?.[state] !== undefined).map((state) => (
              <div key={state} data-state={state}>
                <dt>{stateWords(state)}</dt>
                <dd>{counts.data?.[state]}</dd>
              </div>
            ))}
          </dl>
        </section>
        <WorkSection />
        <UpstreamSection />
        <DeadLetters letters={letters} act={act} changed={refresh} />
        <WebhookSection act={act} />
        <section aria-labelledby="all-runs">
          <h2 id="all-runs">Runs</h2>
          <p className="hint">Threads of your own namespace, the latest input first.</p>
          <FilteredRuns path="/runs" size={RUNS} act={act} chats />
        </section>
        <section aria-labelledby="all-threads">
          <h2 id="all-threads">Threads</h2>
          <p className="hint">
            {threads.data?.items.length !== 0
              ? "Threads of your own namespace, latest input first. Open one to see its runs."
              : threads.place.back
                ? "None are left on this page."
                : "None yet in your own namespace."}
          </p>
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
                  {thread.waiting && <span className={thread.waitsOn ? "tag" : "tag asked"}>{thread.waitsOn ? stands(thread) : "suspended"}</span>}
                  {hasFailed(thread) && <span className="tag late">failed</span>}
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
          <Pager place={threads.place} of="threads" />
        </section>
      </main>
    </div>
  );
}
