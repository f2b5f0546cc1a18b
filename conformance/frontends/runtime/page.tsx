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
  const [token, setToken] = useState(address.get("token"));
  const failed = (event: object) => { if ("error" in event && /401/.test(String(event.error))) setToken(""); };
  Object.assign(window, { setToken });
  if (token === "") return <button data-testid="sign-in" onClick={() => setToken(address.get("good"))}>Sign in</button>;
  return (
    <CopilotKit
      runtimeUrl={address.get("runtime")!}
      useSingleEndpoint={address.has("single")}
      threadId={threadId}
      headers={token ? { Authorization: `Bearer ${token}` } : {}}
    >
      <Questions />
      <Picker />
      <Watched />
      {address.has("suggest") && <Suggested />}
      <CopilotChat threadId={threadId} onError={failed} />
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
