import { useMemo } from "react";
import { payloadIn } from "../../../client/payloads";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Facts } from "../../../react/decision/Facts";
import { Folded } from "../../../react/lib/Folded";
import { textOf } from "./messagetext";
import PayloadResult from "./PayloadResult";
import type { Card } from "./rows";
import { words } from "../words";

interface Props extends Pick<Card, "state" | "result"> {
  name: string;
  /** The arguments that it was called with, as JSON. */
  given: string;
}

/** What stands below the line of a call: which tool, with what, and what came of it. */
export default function ToolFacts({ name, given, state, result }: Props) {
  const answer = result && textOf(result.content);
  const large = payloadIn(result?.content);
  return (
    <>
      <Facts tool={name} />
      {given !== "" && <ArgFields text={given} hook="tool-args" label={words.chat.arguments} compact />}
      {large && <PayloadResult payload={large} />}
      {!large && answer !== undefined && <Result text={answer} told={state !== "done" && state !== "failed"} />}
    </>
  );
}

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
