// A question of the agent: a call that may be edited, fields to fill in, or a yes and a no.

import { useState } from "react";

export interface Asked {
  id: string;
  reason: string;
  message?: string;
  responseSchema?: Record<string, unknown>;
}

interface Props {
  interrupt: Asked;
  args?: string; // of the call that it is about
  resolve: (payload: unknown) => void;
  cancel: () => void;
}

export function Question({ interrupt, args, resolve, cancel }: Props) {
  const [text, setText] = useState("");
  // A call and a yes or no are approved, everything else is JSON that fits the schema.
  const approval = interrupt.reason === "tool_call" || !interrupt.responseSchema;
  const send = () => resolve(approval ? { approved: true, ...(text && { editedArgs: JSON.parse(text) }) } : JSON.parse(text));
  return (
    <article className="question">
      <p>{interrupt.message ?? "May I go on?"}</p>
      {args && <pre>{args}</pre>}
      {interrupt.responseSchema && (
        <textarea
          aria-label="JSON"
          placeholder={interrupt.reason === "tool_call" ? "other arguments, as JSON" : JSON.stringify(interrupt.responseSchema.properties)}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <button disabled={!(approval && text === "") && !isJSON(text)} onClick={send}>{approval ? "Approve" : "Send"}</button>
      {approval && <button onClick={() => resolve({ approved: false })}>Decline</button>}
      <button onClick={cancel}>Cancel</button>
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
