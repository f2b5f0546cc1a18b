import { lazy, memo, Suspense, useMemo } from "react";
import { Changes } from "../decision/Changes";
import { approvedArgs } from "../decision/told";
import { Marked } from "../../../react/lib/Marked";
import { visible } from "../../../react/lib/misleading";
import { headlineOf } from "../../../react/lib/naming";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import type { Card } from "./rows";
import { badgesOf } from "./toolstate";
import { Verdict } from "../decision/Verdict";
import { parts, words } from "../words";

/** Loaded with the first call. */
const ToolFacts = lazy(() => part(() => import("./ToolFacts")));

/**
 * A tool call on one line: what it does, what was decided about it, by whom and when. Opened, with what, and what came of
 * it. Why it was decided so, and what was edited, stands below the line.
 */
export const ToolCard = memo(function ToolCard({ call, state, result, told }: Card) {
  const { name, arguments: proposed } = call.function;
  // What was done is told, and what was proposed beside it.
  const given = useMemo(() => (told ? approvedArgs(proposed, told) : proposed), [proposed, told]);
  const headline = useMemo(() => headlineOf(name, given, parts.text.andMore), [name, given]);
  const badges = badgesOf(state, told);
  return (
    <section className="tool" data-testid="tool-card" data-tool-call-id={call.id} data-state={state} aria-label={`${visible(headline)}: ${visible(badges.map(({ words }) => words).join(", "))}`}>
      <details>
        <summary>
          <strong title={visible(name)}>
            <bdi>
              <Marked text={headline} />
            </bdi>
          </strong>
          <Verdict badges={badges} at={told?.at} />
        </summary>
        <OrElse instead={null}>
          <Suspense fallback={<p className="hint" data-testid="part-loading">{words.app.loading}</p>}>
            <ToolFacts given={given} state={state} result={result} told={told} />
          </Suspense>
        </OrElse>
      </details>
      {state === "open" && <p className="hint">{words.chat.forFrontend}</p>}
      {told?.reason && (
        <p className="why" data-testid="decision-reason">
          <span className="hint">{words.chat.reason} </span>
          <Marked text={told.reason} />
        </p>
      )}
      {told?.changed && <Changes changes={told.changed} />}
    </section>
  );
});
