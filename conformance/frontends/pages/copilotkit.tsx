// A page of CopilotKit as its users write one, with a WebSocketAgent for its agent: no runtime, no server of its own.

import { CopilotChat, CopilotKit, useInterrupt } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { agent, threadId } from "./agent";
import { Approval } from "./approval";

const agents = { default: agent };

function Chat() {
  const [thread, setThread] = useState(threadId);
  return (
    <CopilotKit agents__unsafe_dev_only={agents as never} threadId={thread}>
      <button data-testid="other-thread" onClick={() => setThread(`${threadId}-other`)}>Other thread</button>
      <button data-testid="first-thread" onClick={() => setThread(threadId)}>First thread</button>
      <Questions />
      <CopilotChat threadId={thread} />
    </CopilotKit>
  );
}

function Questions() {
  useInterrupt({
    render: ({ interrupt, resolve, cancel }) => (
      <Approval interrupt={interrupt} resolve={(payload) => void resolve(payload)} cancel={() => void cancel()} />
    ),
  });
  return null;
}

createRoot(document.getElementById("root")!).render(<Chat />);
