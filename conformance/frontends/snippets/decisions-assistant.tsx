import { useAgUiInterrupts, useAgUiSubmitInterruptResponses, type AgUiResumeEntry } from "@assistant-ui/react-ag-ui";
import type { WebSocketAgent } from "@aguiws/client/assistant-ui";
import { Decision } from "@aguiws/react";
import { useState } from "react";

/** Put it inside <AssistantRuntimeProvider>. The answers go out together, when there is one for each question. */
export function Questions({ agent }: { agent: WebSocketAgent }) {
  const open = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const [answers, setAnswers] = useState<Record<string, AgUiResumeEntry>>({});
  const [fault, setFault] = useState<string>();
  const answer = (entry: AgUiResumeEntry) => {
    const all = { ...answers, [entry.interruptId]: entry };
    const entries = open.flatMap(({ id }) => all[id] ?? []);
    setAnswers(entries.length < open.length ? all : {});
    if (entries.length === open.length) submit(entries).then(() => setFault(undefined), (error: Error) => setFault(error.message));
  };
  return open.map((interrupt) => (
    <Decision
      key={interrupt.id}
      interrupt={interrupt}
      messages={agent.messages}
      answer={answers[interrupt.id]}
      onAnswer={answer}
      onChange={() => setAnswers(({ [interrupt.id]: _, ...others }) => others)}
      fault={fault}
    />
  ));
}
