import type { WebSocketAgent } from "@aguiws/client";
import { Decision } from "@aguiws/react";
import { useInterrupt } from "@copilotkit/react-core/v2";

/** Put it inside <CopilotKit>. `agent` is the one that CopilotKit has. */
export function Questions({ agent }: { agent: WebSocketAgent }) {
  useInterrupt({
    render: ({ interrupts, resolve, cancel }) => (
      <>
        {(interrupts ?? []).map((interrupt) => (
          <Decision
            key={interrupt.id}
            interrupt={interrupt}
            messages={agent.messages}
            onAnswer={({ interruptId, status, payload }) => void (status === "resolved" ? resolve(payload, interruptId) : cancel(interruptId))}
          />
        ))}
      </>
    ),
  });
  return null;
}
