// CopilotKit's runtime in a route of Next.js, as docs/nextjs.md shows it.

import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime, createCopilotRuntimeHandler } from "@copilotkit/runtime/v2";

const url = `${process.env.AGUIWS_SERVER ?? "http://127.0.0.1:8080"}/agui`;
const runtime = new CopilotRuntime({ agents: { default: new HttpAgent({ url }) } });
const handle = createCopilotRuntimeHandler({ runtime, basePath: "/api/copilotkit" });
export { handle as GET, handle as POST };
