import { useState } from "react";
import { ApiError, call, usePolled } from "../server/api";
import { UpstreamSection, WebhookSection } from "./Backlog";
import { Bar } from "../bar/Bar";
import { DeadLetters } from "./DeadLetters";
import { NodesSection } from "./Nodes";
import { Overview } from "./Overview";
import { onLink, usePath } from "../lib/route";
import { RunsPage } from "./RunsPage";
import type { Act } from "./RunTable";
import { SignIn } from "../server/SignIn";
import { bearer } from "../server/session";
import { StoreSection } from "./StoreSection";
import { sentence, staleWords, wordsFor } from "../lib/words";

const EVERY_MS = 3_000;

/** The parts of the operator's view. web.go serves the page at each. */
const PARTS = [
  ["/ops", "Overview"],
  ["/ops/runs", "Runs"],
  ["/ops/dead-letters", "Dead letters"],
  ["/ops/servers", "Servers"],
  ["/ops/upstreams", "Upstreams"],
  ["/ops/webhooks", "Webhooks"],
] as const;

/** What the server does, what could not be done, and what an operator can do about it. */
export default function Operator() {
  const path = usePath();
  const counts = usePolled<Record<string, number>>("/dispatches/counts", EVERY_MS);
  const [said, setSaid] = useState<{ text: string; bad: boolean }>();

  const { error } = counts;
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
  const act: Act = async (what, method, at, body, outcome) => {
    try {
      const answer = await call(method, at, body);
      setSaid({ text: `${what}: ${outcome?.(answer as Record<string, unknown>) ?? "done"}.`, bad: false });
    } catch (failed) {
      setSaid({ text: `${what}: ${failed instanceof ApiError ? `${sentence(failed.message)} ${wordsFor(failed.code).advice}` : String(failed)}`, bad: true });
    }
    counts.refresh();
  };
  const part = PARTS.find(([href]) => href === path)?.[1] ?? "Overview";
  const dead = counts.data?.dead_letter ?? 0;
  return (
    <div className="place">
      <Bar title={part === "Overview" ? undefined : part} />
      <main className="page wide">
        <nav className="parts" aria-label="Parts of the operator's view">
          {PARTS.map(([href, words]) => (
            <a key={href} href={href} aria-current={words === part ? "page" : undefined} data-testid={`ops-${words.toLowerCase().replace(" ", "-")}`} onClick={onLink}>
              {words}
              {words === "Dead letters" && dead > 0 && <span className="tag late">{dead}</span>}
            </a>
          ))}
        </nav>
        {error && (
          <p className="banner" role="alert" data-testid="ops-error">
            {error.status === 403 ? "Your identity may not operate this server: it needs the scope admin." : staleWords(error, counts.data !== undefined)}
          </p>
        )}
        {said && (
          <p className={said.bad ? "fault" : "hint"} role="status" data-testid="ops-said">
            {said.text}
          </p>
        )}
        {part === "Overview" && <Overview counts={counts} />}
        {part === "Runs" && <RunsPage act={act} />}
        {part === "Dead letters" && <DeadLetters act={act} changed={counts.refresh} />}
        {part === "Servers" && (
          <>
            <NodesSection />
            <StoreSection />
          </>
        )}
        {part === "Upstreams" && <UpstreamSection />}
        {part === "Webhooks" && <WebhookSection act={act} />}
      </main>
    </div>
  );
}
