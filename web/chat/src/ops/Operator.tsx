import { useEffect, useState } from "react";
import { at } from "../lib/base";
import { ApiError, call, usePolled } from "../server/api";
import { UpstreamSection, WebhookSection } from "./Backlog";
import { Bar } from "../bar/Bar";
import { DeadLetters } from "./DeadLetters";
import { NodesSection } from "./Nodes";
import { Overview } from "./Overview";
import { PARTS, asks, insteadOf, isThere, placeOf, readable } from "./parts";
import { goInstead, onLink, usePlace } from "../lib/route";
import { RunsPage } from "./RunsPage";
import type { Act } from "./RunTable";
import SignIn from "../server/SignIn";
import { bearer } from "../server/session";
import { useMay, useMe } from "../server/who";
import { StoreSection } from "./StoreSection";
import { sentence, staleWords, wordsFor } from "../lib/words";
import { ops } from "../words/ops";
import "../styles/inbox.css";
import "../styles/operator.css";

const EVERY_MS = 3_000;

/** What the server does, what could not be done, and what an operator can do about it. */
export default function Operator() {
  const place = usePlace();
  const [said, setSaid] = useState<{ text: string; bad: boolean }>();

  const may: Record<string, boolean | undefined> = { admin: useMay("admin"), metrics: useMay("metrics"), tenants: useMay("tenants"), read: useMay("read"), approver: useMay("approver") };
  const me = useMe();
  const known = may.admin !== undefined;
  const has = (scope: string) => may[scope] === true;
  // Whoever may not be told of deliveries is still told when nobody is signed in any more.
  const asked = usePolled<Record<string, number>>(known ? (has("admin") ? "/dispatches/counts" : "/me") : undefined, EVERY_MS);
  const counts = has("admin") ? asked : { refresh: asked.refresh };
  const { error } = asked;
  const parts = readable(has);
  const instead = known && error?.status !== 401 ? insteadOf(place, parts) : undefined;
  useEffect(() => {
    if (instead !== undefined) goInstead(instead);
  }, [instead]);
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
  const shown = known && isThere(me, asked) && instead === undefined ? part : undefined;
  const dead = counts.data?.dead_letter ?? 0;
  return (
    <div className="place">
      <Bar title={part === undefined || part === "overview" ? undefined : ops.places[part]} />
      <main className="page wide">
        <nav className="parts" aria-label={ops.parts}>
          {parts.map((one) => (
            <a key={one} href={at(placeOf(one))} aria-current={one === part ? "page" : undefined} data-testid={`ops-${one}`} onClick={onLink}>
              {ops.places[one]}
              {one === "dead-letters" && dead > 0 && <span className="tag late">{dead}</span>}
            </a>
          ))}
        </nav>
        {error && error.status !== 403 && (
          <p className="banner" role="alert" data-testid="ops-error">
            {staleWords(error, counts.data !== undefined)}
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
        {shown === "overview" && <Overview counts={counts} asks={asks(has)} />}
        {shown === "runs" && <RunsPage act={act} running={counts.data?.claimed} />}
        {shown === "dead-letters" && <DeadLetters act={act} changed={counts.refresh} />}
        {shown === "servers" && (
          <>
            <NodesSection />
            <StoreSection />
          </>
        )}
        {shown === "upstreams" && <UpstreamSection />}
        {shown === "webhooks" && <WebhookSection act={act} />}
      </main>
    </div>
  );
}
