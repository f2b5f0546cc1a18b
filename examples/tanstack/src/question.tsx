// A question of the agent: a call that may be edited, a yes and a no, or JSON that fits a schema.

import type { useChat } from "@tanstack/ai-react";
import { useState } from "react";

type Asked = Extract<ReturnType<typeof useChat>["interrupts"][number], { kind: "generic" }>;

export function Question({ asked }: { asked: Asked }) {
  const [text, setText] = useState("");
  const approval = asked.reason === "tool_call" || !asked.responseSchema;
  const send = () => asked.resolveInterrupt(approval ? { approved: true, ...(text && { editedArgs: JSON.parse(text) }) } : JSON.parse(text));
  return (
    <article className="question">
      <p>{asked.message ?? "May I go on?"}</p>
      {asked.responseSchema && (
        <textarea
          aria-label="JSON"
          placeholder={asked.reason === "tool_call" ? "other arguments, as JSON" : JSON.stringify(asked.responseSchema)}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {asked.error && <p role="alert">{asked.error.message}</p>}
      <button disabled={!(approval && text === "") && !isJSON(text)} onClick={send}>{approval ? "Approve" : "Send"}</button>
      {approval && <button onClick={() => asked.resolveInterrupt({ approved: false })}>Decline</button>}
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
