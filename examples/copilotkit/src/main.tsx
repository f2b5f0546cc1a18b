// CopilotKit's chat on a thread that the server keeps. There is no runtime of Node and nothing of ours in the page.

import { CopilotChat, CopilotKit, useAgent, useDefaultRenderTool, useInterrupt } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { Question } from "./question";
import "./page.css";

// A thread has an address, so that a reload finds it again.
const address = new URL(location.href);
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

function Page() {
  return (
    <CopilotKit runtimeUrl="/copilotkit" threadId={threadId} enableInspector={false}>
      <Questions />
      <CopilotChat threadId={threadId} />
    </CopilotKit>
  );
}

/** Asks what the agent wants to know, in the chat. */
function Questions() {
  useDefaultRenderTool(); // shows the agent's calls
  const { agent } = useAgent({ agentId: "default" });
  // The card folds them up, and nobody should approve what they do not see.
  const argumentsOf = (toolCallId?: string) =>
    agent.messages.flatMap((message) => (message.role === "assistant" && message.toolCalls) || []).find(({ id }) => id === toolCallId)?.function.arguments;
  useInterrupt({
    render: ({ interrupt, resolve, cancel }) =>
      interrupt ? (
        <Question
          interrupt={interrupt}
          args={argumentsOf(interrupt.toolCallId)}
          resolve={(payload) => void resolve(payload)}
          cancel={() => void cancel()}
        />
      ) : <></>,
  });
  return null;
}

createRoot(document.getElementById("root")!).render(<Page />);
