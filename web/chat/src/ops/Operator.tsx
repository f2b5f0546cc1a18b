import { useState } from "react";
import { at } from "../lib/base";
import { ApiError, call, usePolled } from "../server/api";
import { UpstreamSection, WebhookSection } from "./Backlog";
import { Bar } from "../bar/Bar";
import { DeadLetters } from "./DeadLetters";
import { NodesSection } from "./Nodes";
import { Overview } from "./Overview";
import { onLink, usePlace } from "../lib/route";
import { RunsPage } from "./RunsPage";
import type { Act } from "./RunTable";
import SignIn from "../server/SignIn";
import { bearer } from "../server/session";
import { StoreSection } from "./StoreSection";
import { sentence, staleWords, wordsFor } from "../lib/words";
import { ops } from "../words/ops";
import "../styles/operator.css";

const EVERY_MS = 3_000;

/** The parts of the operator's view. web.go serves the page at each. */
const PARTS = ["overview", "runs", "dead-letters", "servers", "upstreams", "webhooks"] as const;

const placeOf = (part: (typeof PARTS)[number]) => (part === "overview" ? "/ops" : `/ops/${part}`);

/** What the server does, what could not be done, and what an operator can do about it. */
export default function Operator() {
  const place = usePlace();
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
      setSaid({ text: `${what}: ${outcome?.(answer as Record<string, unknown>) ?? ops.done}.`, bad: false });
    } catch (failed) {
      setSaid({ text: `${what}: ${failed instanceof ApiError ? `${sentence(failed.message)} ${wordsFor(failed.code).advice}` : String(failed)}`, bad: true });
    }
    counts.refresh();
  };
  const part = PARTS.find((one) => placeOf(one) === place);
  const dead = counts.data?.dead_letter ?? 0;
  return (
    <div className="place">
      <Bar title={part === undefined || part === "overview" ? undefined : ops.places[part]} />
      <main className="page wide">
        <nav className="parts" aria-label={ops.parts}>
          {PARTS.map((one) => (
            <a key={one} href={at(placeOf(one))} aria-current={one === part ? "page" : undefined} data-testid={`ops-${one}`} onClick={onLink}>
              {ops.places[one]}
              {one === "dead-letters" && dead > 0 && <span className="tag late">{dead}</span>}
            </a>
          ))}
        </nav>
        {error && (
          <p className="banner" role="alert" data-testid="ops-error">
            {error.status === 403 ? ops.notOperator : staleWords(error, counts.data !== undefined)}
          </p>
        )}
        {said && (
          <p className={said.bad ? "fault" : "hint"} role="status" data-testid="ops-said">
            {said.text}
          </p>
        )}
        {part === undefined && (
          <p data-testid="no-such-page">
            {ops.noSuchPage}{" "}
            <a href={at("/ops")} onClick={onLink}>
              {ops.places.overview}
            </a>
          </p>
        )}
        {part === "overview" && <Overview counts={counts} />}
        {part === "runs" && <RunsPage act={act} />}
        {part === "dead-letters" && <DeadLetters act={act} changed={counts.refresh} />}
        {part === "servers" && (
          <>
            <NodesSection />
            <StoreSection />
          </>
        )}
        {part === "upstreams" && <UpstreamSection />}
        {part === "webhooks" && <WebhookSection act={act} />}
      </main>
    </div>
  );
}
