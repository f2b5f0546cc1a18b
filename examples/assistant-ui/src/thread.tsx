// What a chat of assistant-ui looks like: the messages, the questions of its agent, and the composer.

import { ComposerPrimitive, MessagePrimitive, ThreadPrimitive, useAuiState, type ToolCallMessagePartProps } from "@assistant-ui/react";
import { useAgUiInterrupts } from "@assistant-ui/react-ag-ui";
import { Questions } from "./questions";
import "@aguiws/react/styles.css";
import "./thread.css";

export function Thread() {
  return (
    <ThreadPrimitive.Root className="chat">
      <ThreadPrimitive.Viewport className="messages">
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
      </ThreadPrimitive.Viewport>
      <Questions />
      <Composer />
    </ThreadPrimitive.Root>
  );
}

/** Not before the thread is there, and not while it waits for answers: assistant-ui would refuse a message. */
function Composer() {
  const loading = useAuiState(({ thread }) => thread.isLoading);
  const running = useAuiState(({ thread }) => thread.isRunning);
  const asked = useAgUiInterrupts().length > 0;
  if (loading || asked) return null;
  return (
    <ComposerPrimitive.Root className="composer">
      <ComposerPrimitive.Input aria-label="Message" placeholder="Write a message" />
      {running ? <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel> : <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>}
    </ComposerPrimitive.Root>
  );
}

function UserMessage() {
  return <MessagePrimitive.Root className="user"><MessagePrimitive.Parts /></MessagePrimitive.Root>;
}

function AssistantMessage() {
  const empty = useAuiState(({ message }) => message.content.length === 0);
  return (
    <MessagePrimitive.Root className="assistant" hidden={empty}>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}

function ToolCall({ toolName, argsText, result }: ToolCallMessagePartProps) {
  return <pre>{toolName} {argsText}{result !== undefined && `\n→ ${JSON.stringify(result)}`}</pre>;
}
