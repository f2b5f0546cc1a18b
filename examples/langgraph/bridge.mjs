// Serves a graph by AG-UI. It asks LangGraph's own server at LANGGRAPH_URL for the graph GRAPH, and needs
// @ag-ui/langgraph, @ag-ui/client, @ag-ui/core, @ag-ui/encoder, @langchain/core and @langchain/langgraph.

import { EventEncoder } from "@ag-ui/encoder";
import { LangGraphAgent } from "@ag-ui/langgraph";
import { createServer } from "node:http";

const { LANGGRAPH_URL = "http://127.0.0.1:2024", GRAPH = "agent", PORT = "8000" } = process.env;
const encoder = new EventEncoder();

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const input = JSON.parse(body);
  const agent = new LangGraphAgent({ deploymentUrl: LANGGRAPH_URL, graphId: GRAPH, threadId: input.threadId });
  response.writeHead(200, { "content-type": encoder.getContentType() });
  response.on("close", () => agent.abortRun()); // whoever stops the run stops the graph
  agent.run(input).subscribe({
    next: (event) => response.write(encoder.encode(event)),
    error: ({ message }) => response.end(encoder.encode({ type: "RUN_ERROR", message })),
    complete: () => response.end(),
  });
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`ready http://127.0.0.1:${server.address().port}/`));
