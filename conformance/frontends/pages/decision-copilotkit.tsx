// CopilotKit asks, and <Decision> draws its questions.

import { Decision } from "@aguiws/react";
import { CopilotChat, CopilotKit, useInterrupt } from "@copilotkit/react-core/v2";
import { agent, threadId } from "./agent";

const agents = { default: agent };

export default function Chat() {
  return (
    <CopilotKit agents__unsafe_dev_only={agents} threadId={threadId}>
      <Questions />
      <CopilotChat threadId={threadId} />
    </CopilotKit>
  );
}

function Questions() {
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
