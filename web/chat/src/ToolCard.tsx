import type { ToolCall, ToolMessage } from "@ag-ui/client";
import { useMemo } from "react";
import { payloadIn } from "../../client/payloads";
import { pretty } from "./answers";
import { Folded } from "./Folded";
import { Marked } from "./Marked";
import { visible } from "./misleading";
import { textOf } from "./messagetext";
import { PayloadResult } from "./PayloadResult";

/** `open`: the run has ended, and nothing says what became of the call. */
export type ToolState = "working" | "asked" | "done" | "open";

const WORDS: Record<ToolState, string> = {
  working: "in progress",
  asked: "waiting for you",
  done: "done",
  open: "no result",
};

export function ToolCard({ call, state, result }: { call: ToolCall; state: ToolState; result?: ToolMessage }) {
  const given = call.function.arguments;
  const args = useMemo(() => <Folded text={pretty(given)} source={given} hook="tool-args" label="Arguments" />, [given]);
  const told = result && textOf(result.content);
  const large = payloadIn(result?.content);
  return (
    <section className="tool" data-testid="tool-card" data-tool-call-id={call.id} data-state={state} aria-label={`Tool call ${visible(call.function.name)}`}>
      <header>
        <code className="name">
          <bdi>
            <Marked text={call.function.name} />
          </bdi>
        </code>
        <span className={`tag ${state}`}>{WORDS[state]}</span>
      </header>
      {given !== "" && state === "asked" && (
        // The question below shows them, where they can be edited.
        <details>
          <summary>Arguments</summary>
          {args}
        </details>
      )}
      {given !== "" && state !== "asked" && args}
      {told !== undefined && (
        <>
          <p className="hint">Result</p>
          {large ? <PayloadResult payload={large} /> : <Result text={told} />}
        </>
      )}
    </section>
  );
}

function Result({ text }: { text: string }) {
  const shown = useMemo(() => pretty(text), [text]);
  return <Folded text={shown} source={text} hook="tool-result" label="Result" />;
}
