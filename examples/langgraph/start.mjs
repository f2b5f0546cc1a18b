// LangGraph's development server with the graphs of langgraph.json, the bridge that speaks AG-UI in front of it, and aguiws in
// front of that.

import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { beside, front } from "../behind.mjs";

const here = import.meta.dirname;
const free = createServer().listen(0, "127.0.0.1");
await once(free, "listening");
const { port } = free.address();
free.close();

const cli = path.join(here, "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
beside([cli, "dev", "--no-browser", "--host", "127.0.0.1", "--port", String(port)], { cwd: here, stdio: "inherit" });
// The server has TypeScript look at the graph before its first answer.
front([path.join(here, "bridge.mjs")], { PORT: "0", LANGGRAPH_URL: `http://127.0.0.1:${port}` }, { name: "agent", dialect: "langgraph", "first-byte-timeout": "3m", "ask-lost": true });
