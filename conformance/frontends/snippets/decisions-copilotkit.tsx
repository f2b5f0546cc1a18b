import { Decision } from "@aguiws/react";
import "@aguiws/react/styles.css";
import { useAgent, useDefaultRenderTool, useInterrupt } from "@copilotkit/react-core/v2";
import { useState, type ComponentProps } from "react";

/** Put it inside <CopilotKit>. Without an agentId it is the provider's agent, as it is for CopilotChat. */
export function Questions({ agentId }: { agentId?: string }) {
  useDefaultRenderTool();   // draws the agent's calls: take it out if you draw calls yourself
  const { agent } = useAgent({ agentId });
  useInterrupt({
    agentId,
    render: ({ interrupts, resolve, cancel }) => (
      <>
        {(interrupts ?? []).map((interrupt) => (
          <Question
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

/** Tells the answer until CopilotKit sends it, together with those to the other questions. */
function Question({ onAnswer, ...asked }: ComponentProps<typeof Decision>) {
  const [answer, setAnswer] = useState<typeof asked.answer>();
  return <Decision {...asked} answer={answer} onAnswer={(entry) => { setAnswer(entry); onAnswer?.(entry); }} />;
}
