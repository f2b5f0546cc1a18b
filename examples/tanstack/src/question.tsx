// A question of the agent: a call that may be edited, answers that it lists, a yes and a no, or JSON that fits a schema.

import { answersOf } from "@aguiws/client";
import type { useChat } from "@tanstack/ai-react";
import { useState } from "react";

type Asked = Extract<ReturnType<typeof useChat>["interrupts"][number], { kind: "generic" }>;

export function Question({ asked }: { asked: Asked }) {
  const [text, setText] = useState("");
  const call = asked.reason === "tool_call";
  const { choices, otherwise } = answersOf(asked);
  return (
    <article className="question">
      <p>{asked.message ?? "May I go on?"}</p>
      {asked.error && <p role="alert">{asked.error.message}</p>}
      {otherwise === "schema" && (
        <>
          <textarea
            aria-label="JSON"
            placeholder={call ? "other arguments, as JSON" : JSON.stringify(asked.responseSchema)}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button disabled={!isJSON(text)} onClick={() => asked.resolveInterrupt(call ? { approved: true, editedArgs: JSON.parse(text) } : JSON.parse(text))}>
            {call ? "Approve as edited" : "Send"}
          </button>
        </>
      )}
      {choices.map(({ label, payload }) => <button key={label} onClick={() => asked.resolveInterrupt(payload)}>{label}</button>)}
      <button onClick={() => asked.cancel()}>Cancel</button>
    </article>
  );
}

function isJSON(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
