// A question of the agent: a call that may be edited, answers that it lists, a yes and a no, or JSON that fits a schema.

import { answersOf } from "@aguiws/client";
import type { useChat } from "@tanstack/ai-react";
import { useState } from "react";

type Asked = Extract<ReturnType<typeof useChat>["interrupts"][number], { kind: "generic" }>;

export function Question({ asked }: { asked: Asked }) {
  const [text, setText] = useState("");
  const call = asked.reason === "tool_call";
  const approval = call || !asked.responseSchema;
  // What the agent takes for a yes and a no, if it is said. Such an agent may take {"approved": false} for a yes.
  const listed = !(call && asked.responseSchema) && asked.metadata?.answers ? answersOf(asked).choices : [];
  const send = () => asked.resolveInterrupt(approval ? { approved: true, ...(text && { editedArgs: JSON.parse(text) }) } : JSON.parse(text));
  return (
    <article className="question">
      <p>{asked.message ?? "May I go on?"}</p>
      {asked.responseSchema && (
        <textarea
          aria-label="JSON"
          placeholder={call ? "other arguments, as JSON" : JSON.stringify(asked.responseSchema)}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {asked.error && <p role="alert">{asked.error.message}</p>}
      {listed.map(({ label, payload }) => <button key={label} onClick={() => asked.resolveInterrupt(payload)}>{label}</button>)}
      {(listed.length === 0 || asked.responseSchema) && (
        <button disabled={!(approval && text === "") && !isJSON(text)} onClick={send}>{approval ? "Approve" : "Send"}</button>
      )}
      {approval && listed.length === 0 && <button onClick={() => asked.resolveInterrupt({ approved: false })}>Decline</button>}
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
