// A page of assistant-ui as its users write one, with a WebSocketAgent for its agent.

import {
  AssistantRuntimeProvider, ComposerPrimitive, makeAssistantTool, MessagePrimitive, ThreadPrimitive, type ToolCallMessagePartProps, useAuiState,
} from "@assistant-ui/react";
import {
  useAgUiInterrupts, useAgUiState, useAgUiSteerAway, useAgUiSubmitInterruptResponses, type AgUiResumeEntry,
} from "@assistant-ui/react-ag-ui";
import { useAguiwsRuntime } from "@aguiws/client/assistant-ui";
import type { WebSocketAgent } from "@aguiws/client";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { agent } from "./agent";
import { Approval } from "./approval";

function Chat({ agent }: { agent: WebSocketAgent }) {
  const runtime = useAguiwsRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Where />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
          <Questions />
        </ThreadPrimitive.Viewport>
        <State />
        <Composer />
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

/** What the history brings replaces what the page holds, so nothing is said before it has. */
function Composer() {
  const loading = useAuiState(({ thread }) => thread.isLoading);
  return !loading && (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input data-testid="composer" aria-label="message" />
      <ComposerPrimitive.Send data-testid="send">Send</ComposerPrimitive.Send>
      <ComposerPrimitive.Cancel data-testid="stop">Stop</ComposerPrimitive.Cancel>
      <SteerAway />
    </ComposerPrimitive.Root>
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

/** The answers go out together, when there is one for each question. */
function Questions() {
  const interrupts = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const [answers, setAnswers] = useState<AgUiResumeEntry[]>([]);
  const [refusal, setRefusal] = useState("");
  const open = interrupts.filter(({ id }) => !answers.some((answer) => answer.interruptId === id));
  const answer = (entry: AgUiResumeEntry) => {
    const all = [...answers, entry];
    setAnswers(open.length > 1 ? all : []);
    if (open.length === 1) submit(all).catch((error: Error) => setRefusal(error.message));
  };
  return <>{refusal && <p data-testid="refusal">{refusal}</p>}{open.map((interrupt) => (
    <Approval
      key={interrupt.id}
      interrupt={interrupt}
      resolve={(payload) => answer({ interruptId: interrupt.id, status: "resolved", payload })}
      cancel={() => answer({ interruptId: interrupt.id, status: "cancelled" })}
    />
  ))}</>;
}

let calls = 0;
const Where = makeAssistantTool({
  toolName: "where",
  type: "frontend",
  description: "Where the page is",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    calls++;
    return "in a browser";
  },
});

function SteerAway() {
  const asked = useAgUiInterrupts().length > 0;
  const steerAway = useAgUiSteerAway();
  return asked && <button type="button" data-testid="steer-away" onClick={() => void steerAway("/say something else")}>Something else</button>;
}

function State() {
  const state = useAgUiState();
  return <pre data-testid="state">{JSON.stringify(state)}</pre>;
}

/** A page with a list of threads. Whether another thread is another component is the application's choice. */
function Threads() {
  const [shown, setShown] = useState(agent);
  const keyed = new URLSearchParams(location.search).has("keyed");
  const showThread = (threadId: string) => {
    const another = agent.clone();
    another.threadId = threadId;
    another.setMessages([]);
    setShown(another);
    Object.assign(window, { agent: another });
  };
  Object.assign(window, { showThread });
  return <Chat key={keyed ? shown.threadId : ""} agent={shown} />;
}

const root = createRoot(document.getElementById("root")!);
root.render(<Threads />);
Object.assign(window, { unmount: () => root.unmount(), calls: () => calls });
