import { Questions } from "./decisions-copilotkit";

declare const threadId: string;

import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";

const byProvider = (
  <CopilotKit runtimeUrl="/copilotkit" agent="weather" threadId={threadId} enableInspector={false}>
    <Questions />
    <CopilotChat threadId={threadId} />
  </CopilotKit>
);

const byChat = (
  <CopilotKit runtimeUrl="/copilotkit" threadId={threadId} enableInspector={false}>
    <Questions agentId="weather" />
    <CopilotChat agentId="weather" threadId={threadId} />
  </CopilotKit>
);

import { useState } from "react";

function Page({ signIn }: { signIn: () => Promise<string> }) {
  const [token, setToken] = useState("");
  const failed = (event: object) => { if ("error" in event && /401/.test(String(event.error))) setToken(""); };   // object: the prop is React's, too
  if (!token) return <button onClick={() => void signIn().then(setToken)}>Sign in</button>;
  return (
    <CopilotKit runtimeUrl="/copilotkit" headers={{ Authorization: `Bearer ${token}` }} threadId={threadId} enableInspector={false}>
      <Questions />
      <CopilotChat threadId={threadId} onError={failed} />
    </CopilotKit>
  );
}

function Chat() {
  const [said, say] = useState("");
  return (
    <>
      {said && <p role="alert">{said} <button onClick={() => say("")}>OK</button></p>}
      <CopilotChat threadId={threadId} onError={(event: object) => say("error" in event ? String(event.error) : "")} />
    </>
  );
}

declare function greet(name: string): Promise<string>;

import { useFrontendTool } from "@copilotkit/react-core/v2";
import { z } from "zod";

function Greeter() {
  useFrontendTool({
    name: "greet",
    description: "Greets somebody.",
    parameters: z.object({ name: z.string().describe("Who") }),
    handler: async ({ name }) => greet(name),
  });
  return null;
}

export { byChat, byProvider, Chat, Greeter, Page };
