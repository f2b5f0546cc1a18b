// An agent of Mastra, as it is without aguiws: a tool that waits for a human, and HTTP before it. The model is a few lines,
// so that no key is needed.

import { EventEncoder } from "@ag-ui/encoder";
import { MastraAgent } from "@ag-ui/mastra";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { z } from "zod";

const [port = "4111", ledger = "ledger.txt", host = "127.0.0.1"] = process.argv.slice(2);

const pay = createTool({
  id: "pay",
  description: "Pays an amount.",
  inputSchema: z.object({ amount: z.number() }),
  suspendSchema: z.object({ message: z.string() }),
  resumeSchema: z.object({ approved: z.boolean() }),
  async execute({ amount }, { agent: { resumeData, suspend } }) {
    if (!resumeData) return suspend({ message: `Pay ${amount}?` });
    if (!resumeData.approved) return { said: `I have not paid ${amount}.` };
    appendFileSync(ledger, `paid ${amount}\n`);
    return { said: `I have paid ${amount}.` };
  },
});

// In its place: model: "openai/gpt-4.1", say.
const model = {
  specificationVersion: "v2",
  provider: "none",
  modelId: "none",
  supportedUrls: {},
  doStream: async ({ prompt }) => ({ stream: ReadableStream.from(parts(prompt)) }),
};

function* parts(prompt) {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const amount = Number(/pay (\d+)/i.exec(prompt[last].content.map((part) => part.text ?? "").join(""))?.[1]);
  const result = prompt.slice(last).findLast(({ role }) => role === "tool")?.content[0].output.value;
  const calls = amount && !result;
  yield { type: "stream-start", warnings: [] };
  if (calls) {
    yield { type: "tool-call", toolCallId: randomUUID(), toolName: "pay", input: JSON.stringify({ amount }) };
  } else {
    const id = randomUUID();
    yield { type: "text-start", id };
    yield { type: "text-delta", id, delta: result?.said ?? "I can pay: say pay 30." };
    yield { type: "text-end", id };
  }
  yield { type: "finish", finishReason: calls ? "tool-calls" : "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}

const mastra = new Mastra({
  agents: { clerk: new Agent({ id: "clerk", name: "clerk", instructions: "Pay what you are told to pay.", model, tools: { pay } }) },
  storage: new InMemoryStore({ id: "memory" }),
  logger: false,
});
const encoder = new EventEncoder();

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const input = JSON.parse(body);
  const agent = new MastraAgent({ agent: mastra.getAgent("clerk"), resourceId: "anybody", threadId: input.threadId });
  response.writeHead(200, { "content-type": encoder.getContentType() });
  const events = agent.run(input).subscribe({
    next: (event) => response.write(encoder.encode(event)),
    error: (error) => response.end(encoder.encode({ type: "RUN_ERROR", message: error.message })),
    complete: () => response.end(),
  });
  response.on("close", () => events.unsubscribe());
});
server.listen(Number(port), host, () => console.log(`the agent is at http://${host}:${server.address().port}/`));
