import { lazy, memo, Suspense, useMemo } from "react";
import { payloadIn } from "../../../client/payloads";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Changes } from "../decision/Changes";
import { Facts } from "../../../react/decision/Facts";
import { Folded } from "../../../react/lib/Folded";
import { Icon } from "../../../react/lib/Icon";
import { Marked } from "../../../react/lib/Marked";
import { visible } from "../../../react/lib/misleading";
import { headlineOf } from "../../../react/lib/naming";
import { textOf } from "./messagetext";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import type { Card } from "./rows";
import { badgesOf } from "./toolstate";
import { Verdict } from "../decision/Verdict";
import { parts, words } from "../words";

/** Loaded with the first result that travels by reference. */
const PayloadResult = lazy(() => part(() => import("./PayloadResult")));

/**
 * A tool call on one line: what it does, what was decided about it, by whom and when. Opened, with what, and what came of
 * it. Why it was decided so, and what was edited, stands below the line.
 */
export const ToolCard = memo(function ToolCard({ call, state, result, told }: Card) {
  const { name, arguments: given } = call.function;
  const headline = useMemo(() => headlineOf(name, given, parts.text.andMore), [name, given]);
  const badges = badgesOf(state, told);
  const answer = result && textOf(result.content);
  const large = payloadIn(result?.content);
  const came = answer !== undefined && <Result text={answer} told={state !== "done" && state !== "failed"} />;
  return (
    <section className="tool" data-testid="tool-card" data-tool-call-id={call.id} data-state={state} aria-label={`${visible(headline)}: ${visible(badges.map(({ words }) => words).join(", "))}`}>
      <details>
        <summary>
          <Icon name="tool" />
          <strong>
            <bdi>
              <Marked text={headline} />
            </bdi>
          </strong>
          <Verdict badges={badges} at={told?.at} />
        </summary>
        <Facts tool={name} />
        {given !== "" && <ArgFields text={given} hook="tool-args" label={told?.changed ? words.chat.proposed : words.chat.arguments} compact />}
        {large && (
          <OrElse instead={came}>
            <Suspense fallback={came}>
              <PayloadResult payload={large} />
            </Suspense>
          </OrElse>
        )}
        {!large && came}
      </details>
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

/** What came of a call, or what the agent was told in place of that. */
function Result({ text, told }: { text: string; told: boolean }) {
  const object = useMemo(() => text.startsWith("{"), [text]);
  return (
    <div className="result">
      <p className="hint">{told ? words.chat.agentTold : words.chat.result}</p>
      {object ? <ArgFields text={text} hook="tool-result" label={words.chat.result} compact /> : <Folded text={text} hook="tool-result" label={words.chat.result} />}
    </div>
  );
}
