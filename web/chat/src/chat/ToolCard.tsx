import { memo, useMemo } from "react";
import { payloadIn } from "../../../client/payloads";
import { pretty } from "../forms/answers";
import { ArgFields } from "../decision/ArgFields";
import { Changes } from "../decision/Changes";
import { Folded } from "../lib/Folded";
import { Icon } from "../lib/Icon";
import { Marked } from "../lib/Marked";
import { visible } from "../lib/misleading";
import { textOf } from "./messagetext";
import { PayloadResult } from "./PayloadResult";
import type { Card } from "./rows";
import { badgesOf } from "./toolstate";
import { Verdict } from "../decision/Verdict";

/** A tool call: what is called, with what, what was decided about it, and what came of it. */
export const ToolCard = memo(function ToolCard({ call, state, result, told }: Card) {
  const { name, arguments: given } = call.function;
  const badges = badgesOf(state, told);
  const answer = result && textOf(result.content);
  const large = payloadIn(result?.content);
  return (
    <section className="tool" data-testid="tool-card" data-tool-call-id={call.id} data-state={state} aria-label={`Tool call ${visible(name)}, ${visible(badges.map(({ words }) => words).join(", "))}`}>
      <header>
        <code className="name">
          <Icon name="tool" />
          <bdi>
            <Marked text={name} />
          </bdi>
        </code>
        <Verdict badges={badges} at={told?.at} />
      </header>
      {told?.reason && (
        <p className="why" data-testid="decision-reason">
          <span className="hint">Reason: </span>
          <Marked text={told.reason} />
        </p>
      )}
      {told?.changed && <Changes changes={told.changed} />}
      {given !== "" &&
        (state === "asked" || told?.changed ? (
          // The question below shows them, where they can be edited; what was edited is said above.
          <details>
            <summary>{told?.changed ? "Arguments as proposed" : "Arguments"}</summary>
            <ArgFields text={given} hook="tool-args" label="Arguments" compact />
          </details>
        ) : (
          <ArgFields text={given} hook="tool-args" label="Arguments" compact />
        ))}
      {large && <PayloadResult payload={large} />}
      {!large && answer !== undefined && <Result text={answer} plain={state === "done" || state === "failed"} />}
    </section>
  );
});

/** What the agent was told. Where the badge says it already, it is folded. */
function Result({ text, plain }: { text: string; plain: boolean }) {
  const shown = useMemo(() => pretty(text), [text]);
  const told = <Folded text={shown} source={text} hook="tool-result" label="Result" />;
  return plain ? (
    <div className="result">
      <p className="hint">Result</p>
      {told}
    </div>
  ) : (
    <details>
      <summary>What the agent was told</summary>
      {told}
    </details>
  );
}
