import { useMemo } from "react";
import { payloadIn } from "../../../client/payloads";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Folded } from "../../../react/lib/Folded";
import { textOf } from "./messagetext";
import PayloadResult from "./PayloadResult";
import type { Card } from "./rows";
import { argsBeside, resultBeside } from "../decision/saidonce";
import { words } from "../words";

interface Props extends Pick<Card, "state" | "result" | "told"> {
  /** The arguments that it was called with, as JSON. */
  given: string;
}

/** What stands below the line of a call: with what it was called, and what came of it. */
export default function ToolFacts({ given, state, result, told }: Props) {
  const answer = result && textOf(result.content);
  const large = payloadIn(result?.content);
  const args = useMemo(() => argsBeside(given, told?.changed), [given, told]);
  const more = useMemo(() => (answer === undefined ? undefined : resultBeside(answer, given, told?.reason)), [answer, given, told]);
  return (
    <>
      {given !== "" && <ArgFields text={args} whole={given} hook="tool-args" label={words.chat.arguments} compact />}
      {large && <PayloadResult payload={large} />}
      {!large && answer !== undefined && more !== undefined && (
        <div className="result">
          <p className="hint">{state === "done" || state === "failed" ? words.chat.result : words.chat.agentTold}</p>
          {more.startsWith("{") ? (
            <ArgFields text={more} whole={answer} hook="tool-result" label={words.chat.result} compact />
          ) : (
            <Folded text={more} hook="tool-result" label={words.chat.result} />
          )}
        </div>
      )}
    </>
  );
}
