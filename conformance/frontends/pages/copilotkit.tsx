// A page of CopilotKit as its users write one, with a WebSocketAgent for its agent: no runtime, no server of its own.

import { CopilotChat, CopilotKit, useFrontendTool, useInterrupt } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { agent, threadId } from "./agent";
import { Approval } from "./approval";
import { z } from "zod";

const agents = { default: agent };

function Chat() {
  const [thread, setThread] = useState(threadId);
  return (
    <CopilotKit agents__unsafe_dev_only={agents} threadId={thread}>
      <button data-testid="other-thread" onClick={() => setThread(`${threadId}-other`)}>Other thread</button>
      <button data-testid="first-thread" onClick={() => setThread(threadId)}>First thread</button>
      <Questions />
      <CopilotChat threadId={thread} />
    </CopilotKit>
  );
}

function Questions() {
  useInterrupt({
    render: ({ interrupts, resolve, cancel }) => (
      <>
        {(interrupts ?? []).map((interrupt) => (
          <Approval
            key={interrupt.id}
            interrupt={interrupt}
            resolve={(payload) => void resolve(payload, interrupt.id)}
            cancel={() => void cancel(interrupt.id)}
          />
        ))}
      </>
    ),
  });
  useFrontendTool({
    name: "where",
    description: "Where the page is",
    parameters: z.object({}),
    handler: async () => "in a browser",
  });
  return null;
}

createRoot(document.getElementById("root")!).render(<Chat />);
