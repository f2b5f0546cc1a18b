// assistant-ui asks, and <Decision> draws its questions.

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive, useAuiState } from "@assistant-ui/react";
import { useAguiwsRuntime } from "@aguiws/client/assistant-ui";
import { Questions } from "../snippets/decisions-assistant";
import { agent } from "./agent";

export default function Chat() {
  const runtime = useAguiwsRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        <Questions agent={agent} />
        <Composer />
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
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
