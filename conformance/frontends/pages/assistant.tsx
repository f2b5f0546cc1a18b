// A page of assistant-ui as its users write one, with a WebSocketAgent for its agent.

import {
  AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive, type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { useAgUiInterrupts, useAgUiRuntime, useAgUiState, useAgUiSteerAway, useAgUiSubmitInterruptResponses } from "@assistant-ui/react-ag-ui";
import { useMemo } from "react";
import { createRoot } from "react-dom/client";
import { agent } from "./agent";
import { Approval } from "./approval";
import { historyOf } from "./history";

const history = historyOf(agent);

function Chat() {
  const adapters = useMemo(() => ({ history }), []);
  const runtime = useAgUiRuntime({ agent: agent as never, adapters });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
          <Questions />
        </ThreadPrimitive.Viewport>
        <State />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input data-testid="composer" aria-label="message" />
          <ComposerPrimitive.Send data-testid="send">Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel data-testid="stop">Stop</ComposerPrimitive.Cancel>
          <SteerAway />
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

function UserMessage() {
  return <MessagePrimitive.Root data-testid="user"><MessagePrimitive.Parts /></MessagePrimitive.Root>;
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root data-testid="assistant">
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}

function ToolCall({ toolName, argsText, result }: ToolCallMessagePartProps) {
  return (
    <div data-testid="tool">
      <code>{toolName}</code> <code>{argsText}</code>
      {result !== undefined && <code data-testid="tool-result">{JSON.stringify(result)}</code>}
    </div>
  );
}

function Questions() {
  const [interrupt] = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  if (!interrupt) return null;
  const { id } = interrupt;
  return (
    <Approval
      interrupt={interrupt}
      resolve={(payload) => void submit([{ interruptId: id, status: "resolved", payload }])}
      cancel={() => void submit([{ interruptId: id, status: "cancelled" }])}
    />
  );
}

function SteerAway() {
  const asked = useAgUiInterrupts().length > 0;
  const steerAway = useAgUiSteerAway();
  return asked && <button type="button" data-testid="steer-away" onClick={() => void steerAway("/say something else")}>Something else</button>;
}

function State() {
  const state = useAgUiState();
  return <pre data-testid="state">{JSON.stringify(state)}</pre>;
}

const root = createRoot(document.getElementById("root")!);
root.render(<Chat />);
Object.assign(window, { unmount: () => root.unmount() });
