// CopilotKit's hooks in one page, by either way to the server, with the questions of examples/copilotkit.

import {
  CopilotChat, CopilotKit, useAgent, useAgentContext, useCapabilities, useComponent, useConfigureSuggestions, useHumanInTheLoop, useRenderTool, useThreads,
} from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { WebSocketAgent } from "@aguiws/client/copilotkit";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { Questions } from "../../../examples/copilotkit/src/questions";

const address = new URLSearchParams(location.search);
const threadId = address.get("thread")!;
const own = address.get("agent") ?? undefined; // of the chat, the questions and the hooks
const provided = address.get("provided") ?? undefined; // of the provider
const name = own ?? provided ?? "default";

// A chat gives its agent the thread that it has itself.
const agents = { default: new WebSocketAgent({ url: "/agui/ws" }), weather: new WebSocketAgent({ url: "/agui/weather/ws" }) };
const way = address.get("by") === "WebSocketAgent" ? { agents__unsafe_dev_only: agents } : { runtimeUrl: "/copilotkit" };
const plan = {
  activityType: "plan",
  content: z.object({ points: z.array(z.object({ text: z.string(), done: z.boolean() })) }),
  render: ({ content }: { content: { points: { text: string; done: boolean }[] } }) => (
    <p data-testid="plan">{content.points.map(({ text, done }) => `${text}: ${done ? "done" : "to do"}`).join(", ")}</p>
  ),
};

function Page() {
  return (
    <CopilotKit {...way} threadId={threadId} agent={provided} properties={{ shop: "Graz" }} renderActivityMessages={[plan]} enableInspector={false}>
      <Questions agentId={own} />
      <Hooks />
      <CopilotChat agentId={own} threadId={threadId} />
    </CopilotKit>
  );
}

function Hooks() {
  const { agent } = useAgent({ agentId: own });
  Object.assign(window, { agent });
  useAgentContext({ description: "The room", value: "kitchen" });
  useHumanInTheLoop({
    name: "choose",
    description: "Lets a person choose.",
    parameters: z.object({ of: z.string() }),
    render: ({ args, status, respond }) => <p data-testid="choose">{args.of} {status} {respond && <button onClick={() => respond("blue")}>Blue</button>}</p>,
  });
  useRenderTool({
    name: "paint",
    parameters: z.object({ colour: z.string() }),
    render: ({ parameters, status, result }) => <p data-testid="paint">{parameters.colour} {status} {result}</p>,
  });
  useComponent({ name: "card", parameters: z.object({ title: z.string() }), render: ({ title }) => <p data-testid="card">{title}</p> });
  useConfigureSuggestions({ suggestions: [{ title: "Greet", message: "/say good day" }], available: "always" });
  const threads = useThreads({ agentId: name });
  const capabilities = useCapabilities(own);
  return (
    <>
      <p data-testid="state">{JSON.stringify(agent.state)}</p>
      <p data-testid="threads">{threads.threads.length} {String(threads.error)}</p>
      <p data-testid="capabilities">{capabilities?.identity?.name ?? "none"}</p>
      <button data-testid="set" onClick={() => agent.setState({ ...agent.state, room: "attic" })}>Set</button>
    </>
  );
}

createRoot(document.getElementById("root")!).render(<Page />);
