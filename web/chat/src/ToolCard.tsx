import type { ToolCall, ToolMessage } from "@ag-ui/client";
import { pretty } from "./answers";
import { textOf } from "./messagetext";

/** `open`: the run has ended, and nothing says what became of the call. */
export type ToolState = "working" | "asked" | "done" | "open";

const WORDS: Record<ToolState, string> = {
  working: "in progress",
  asked: "waiting for you",
  done: "done",
  open: "no result",
};

export function ToolCard({ call, state, result }: { call: ToolCall; state: ToolState; result?: ToolMessage }) {
  return (
    <section className="tool" data-testid="tool-card" data-tool-call-id={call.id} data-state={state} aria-label={`Tool call ${call.function.name}`}>
      <header>
        <code className="name">{call.function.name}</code>
        <span className={`tag ${state}`}>{WORDS[state]}</span>
      </header>
      {call.function.arguments !== "" && state === "asked" && (
        // The question below shows them, where they can be edited.
        <details>
          <summary>Arguments</summary>
          <pre data-testid="tool-args" tabIndex={0}>{pretty(call.function.arguments)}</pre>
        </details>
      )}
      {call.function.arguments !== "" && state !== "asked" && <pre data-testid="tool-args" tabIndex={0}>{pretty(call.function.arguments)}</pre>}
      {result && (
        <>
          <p className="hint">Result</p>
          <pre data-testid="tool-result" tabIndex={0}>{pretty(textOf(result.content))}</pre>
        </>
      )}
    </section>
  );
}
