// assistant-ui asks, and <Decision> draws its questions.

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive, useAuiState } from "@assistant-ui/react";
import { useAgUiInterrupts, useAgUiSubmitInterruptResponses, type AgUiResumeEntry } from "@assistant-ui/react-ag-ui";
import { useAguiwsRuntime } from "@aguiws/client/assistant-ui";
import { Decision } from "@aguiws/react";
import { useState } from "react";
import { agent } from "./agent";

export default function Chat() {
  const runtime = useAguiwsRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        <Questions />
        <Composer />
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

/** The answers go out together, when there is one for each question. */
function Questions() {
  const open = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const [answers, setAnswers] = useState<Record<string, AgUiResumeEntry>>({});
  const answer = (entry: AgUiResumeEntry) => {
    const all = { ...answers, [entry.interruptId]: entry };
    const entries = open.flatMap(({ id }) => all[id] ?? []);
    setAnswers(entries.length < open.length ? all : {});
    if (entries.length === open.length) void submit(entries);
  };
  return open.map((interrupt) => (
    <Decision key={interrupt.id} interrupt={interrupt} messages={agent.messages} answer={answers[interrupt.id]} onAnswer={(entry) => answer(entry as AgUiResumeEntry)} />
  ));
}

function Composer() {
  const loading = useAuiState(({ thread }) => thread.isLoading);
  return !loading && (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input data-testid="composer" aria-label="message" />
      <ComposerPrimitive.Send data-testid="send">Send</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  );
}

const UserMessage = () => <MessagePrimitive.Root data-testid="user"><MessagePrimitive.Parts /></MessagePrimitive.Root>;
const AssistantMessage = () => <MessagePrimitive.Root data-testid="assistant"><MessagePrimitive.Parts /></MessagePrimitive.Root>;
