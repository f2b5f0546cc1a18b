// CopilotKit's runtime in Node, as docs/copilotkit.md shows it.

import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";

const url = `${process.env.AGUIWS_SERVER ?? "http://127.0.0.1:8080"}/agui`;
const runtime = new CopilotRuntime({ agents: { default: new HttpAgent({ url }) } });
export const listener = createCopilotNodeListener({ runtime, basePath: "/runtime" });   // for createServer of node:http
