import { useAuiState } from "@assistant-ui/react";
import { useAgUiInterrupts, useAgUiSubmitInterruptResponses, type AgUiResumeEntry } from "@assistant-ui/react-ag-ui";
import { Decision } from "@aguiws/react";
import { useState } from "react";

/** Put it inside <AssistantRuntimeProvider>. The answers go out together, when there is one for each question. */
export function Questions() {
  const open = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const messages = useAuiState(({ thread }) => thread.messages);
  const [answers, setAnswers] = useState<Record<string, AgUiResumeEntry>>({});
  const [fault, setFault] = useState<string>();
  const answer = (entry: AgUiResumeEntry) => {
    const all = { ...answers, [entry.interruptId]: entry };
    const entries = open.flatMap(({ id }) => all[id] ?? []);
    setAnswers(entries.length < open.length ? all : {});
    if (entries.length === open.length) submit(entries).then(() => setFault(undefined), (error: Error) => setFault(error.message));
  };
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.content : [])).filter((part) => part.type === "tool-call");
  return open.map((interrupt) => {
    const call = calls.find(({ toolCallId }) => toolCallId === interrupt.toolCallId);
    return (
      <Decision
        key={interrupt.id}
        interrupt={interrupt}
        toolCall={call && { name: call.toolName, arguments: call.argsText }}
        answer={answers[interrupt.id]}
        onAnswer={answer}
        onChange={() => setAnswers(({ [interrupt.id]: _, ...others }) => others)}
        fault={fault}
      />
    );
  });
}
