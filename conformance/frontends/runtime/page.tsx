// A page of CopilotKit as its users write one that have a runtime: `runtimeUrl`, and nothing of ours.

import { CopilotChat, CopilotKit, useAgent, useConfigureSuggestions, useFrontendTool, useInterrupt } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { Approval } from "../pages/approval";

const address = new URLSearchParams(location.search);
const threadId = address.get("thread")!;

function Page() {
  const [{ token, attempt }, set] = useState({ token: address.get("token"), attempt: 0 });
  const [failure, setFailure] = useState("");
  // Another key makes CopilotKit begin again.
  const signIn = ({ token, anew }: { token: string; anew: boolean }) => set({ token, attempt: attempt + (anew ? 1 : 0) });
  Object.assign(window, { signIn });
  return (
    <CopilotKit
      key={attempt}
      runtimeUrl={address.get("runtime")!}
      useSingleEndpoint={address.has("single")}
      threadId={threadId}
      headers={token ? { Authorization: `Bearer ${token}` } : {}}
    >
      <p data-testid="failure">{failure}</p>
      <Questions />
      <Picker />
      <Watched />
      {address.has("suggest") && <Suggested />}
      <CopilotChat threadId={threadId} onError={({ error }) => setFailure(error.message)} />
    </CopilotKit>
  );
}

function Questions() {
  useInterrupt({
    render: ({ interrupt, interrupts, resolve, cancel }) =>
      address.has("all") ? (
        (interrupts ?? []).map((each) => (
          <Approval
            key={each.id}
            interrupt={each}
            resolve={(payload) => void resolve(payload, each.id)}
            cancel={() => void cancel(each.id)}
          />
        ))
      ) : (
        <Approval interrupt={interrupt} resolve={(payload) => void resolve(payload)} cancel={() => void cancel()} />
      ),
  });
  return null;
}

function Picker() {
  useFrontendTool({
    name: "pick",
    description: "Picks one of two.",
    parameters: z.object({ from: z.number() }),
    handler: async ({ from }) => `number ${from}`,
  });
  return null;
}

function Suggested() {
  useConfigureSuggestions({ instructions: "Suggest what to do next.", available: "always" });
  return null;
}

/** Lets the tests see what the page holds. */
function Watched() {
  const { agent } = useAgent({ agentId: "default" });
  Object.assign(window, { agent });
  return null;
}

createRoot(document.getElementById("root")!).render(<Page />);
