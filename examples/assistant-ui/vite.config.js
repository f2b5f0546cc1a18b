// Vite passes what goes to the server on, sockets too.

import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { join } from "../../web/react/styles/join.mjs";

const target = process.env.AGUIWS_URL ?? "http://127.0.0.1:8080";
const proxy = { "/agui": { target, ws: true, changeOrigin: false } };

// The packages are this checkout's. An application installs them (docs/assistant-ui.md) and needs none of this.
const ours = (path) => fileURLToPath(new URL(`../../web/${path}`, import.meta.url));
const styles = {
  name: "styles",
  resolveId: (id) => (id === "@aguiws/react/styles.css" ? "virtual:aguiws.css" : undefined),
  load: (id) => (id === "virtual:aguiws.css" ? join() : undefined),
};

export default {
  plugins: [react(), styles],
  resolve: {
    alias: [
      { find: "@aguiws/client/assistant-ui", replacement: ours("client/assistant-ui.ts") },
      { find: "@aguiws/client", replacement: ours("client/index.ts") },
      { find: /^@aguiws\/react$/, replacement: ours("react/index.ts") },
    ],
    dedupe: [
      "@ag-ui/client", "@assistant-ui/react", "@assistant-ui/react-ag-ui", "@cfworker/json-schema", "@rjsf/core", "@rjsf/utils",
      "lossless-json", "react", "rxjs",
    ],
  },
  server: { proxy, fs: { allow: [".", ours("client"), ours("react")] } },
  preview: { proxy },
};
