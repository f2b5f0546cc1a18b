// The agent's questions: a call that may be edited, answers that it lists, fields to fill in, or a yes and a no.

import { useAgent, useDefaultRenderTool, useInterrupt } from "@copilotkit/react-core/v2";
import { useState } from "react";
import "./questions.css";

/** Asks what the agent wants to know, in its chat. Without an agentId it is the provider's agent, as it is for CopilotChat. */
export function Questions({ agentId }: { agentId?: string }) {
  useDefaultRenderTool(); // draws the agent's calls: take it out if you draw calls yourself
  const { agent } = useAgent({ agentId });
  // The card folds them up, and nobody should approve what they do not see.
  const argumentsOf = (toolCallId?: string) =>
    agent.messages.flatMap((message) => (message.role === "assistant" && message.toolCalls) || []).find(({ id }) => id === toolCallId)?.function.arguments;
  useInterrupt({
    agentId,
    render: ({ interrupts, resolve, cancel }) => (
      <>
        {(interrupts ?? []).map((interrupt) => (
          <Question
            key={interrupt.id}
            interrupt={interrupt}
            args={argumentsOf(interrupt.toolCallId)}
            others={interrupts!.length > 1}
            resolve={(payload) => void resolve(payload, interrupt.id)}
            cancel={() => void cancel(interrupt.id)}
          />
        ))}
      </>
    ),
  });
  return null;
}

interface Asked {
  id: string;
  reason: string;
  message?: string;
  responseSchema?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
}

interface Props {
  interrupt: Asked;
  args?: string; // of the call that it is about
  others: boolean; // CopilotKit sends the answers together, when each question has one
  resolve: (payload: unknown) => void;
  cancel: () => void;
}

function Question({ interrupt, args, others, ...answer }: Props) {
  const [text, setText] = useState("");
  const [given, setGiven] = useState(false);
  const resolve = (payload: unknown) => { setGiven(true); answer.resolve(payload); };
  const cancel = () => { setGiven(true); answer.cancel(); };
  // A call and a yes or no are approved, everything else is JSON that fits the schema.
  const approval = interrupt.reason === "tool_call" || !interrupt.responseSchema;
  const listed = answersIn(interrupt);
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
      {listed.map(({ label, payload }) => <button key={label} onClick={() => resolve(payload)}>{label}</button>)}
      {(listed.length === 0 || interrupt.responseSchema) && (
        <button disabled={!(approval && text === "") && !isJSON(text)} onClick={send}>{approval ? "Approve" : "Send"}</button>
      )}
      {approval && listed.length === 0 && <button onClick={() => resolve({ approved: false })}>Decline</button>}
      <button onClick={cancel}>Cancel</button>
      {given && others && <p role="status">Answered. It is sent with the answers to the other questions.</p>}
    </article>
  );
}

interface Choice {
  label: string;
  payload?: unknown;
}

/** What the agent takes for a yes and a no, if it is said. Such an agent may take `{"approved": false}` for a yes. */
function answersIn({ reason, responseSchema, metadata }: Asked): Choice[] {
  if (reason === "aguiws:auth_required") return [{ label: "Done" }];
  if (reason === "aguiws:paused") return [{ label: "Go on" }];
  const answers = reason === "tool_call" && responseSchema ? undefined : metadata?.answers;
  return Array.isArray(answers) ? answers.filter((one): one is Choice => typeof one?.label === "string" && "payload" in one) : [];
}

function isJSON(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
