import { Decision } from "@aguiws/react";
import { useAgent, useInterrupt } from "@copilotkit/react-core/v2";

/** Put it inside <CopilotKit>. Without an agentId it is the provider's agent, as it is for CopilotChat. */
export function Questions({ agentId }: { agentId?: string }) {
  const { agent } = useAgent({ agentId });
  useInterrupt({
    agentId,
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
