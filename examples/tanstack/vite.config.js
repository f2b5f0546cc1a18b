// Vite passes what goes to the server on, sockets too.

import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";

const target = process.env.AGUIWS_URL ?? "http://127.0.0.1:8080";
const proxy = { "/agui": { target, ws: true, changeOrigin: false } };

// The browser package is this checkout's. An application installs it (web/client/README.md) and needs neither alias nor dedupe.
const client = fileURLToPath(new URL("../../web/client", import.meta.url));

export default {
  plugins: [react()],
  resolve: {
    alias: [
      { find: "@aguiws/client/tanstack", replacement: `${client}/tanstack.ts` },
      { find: "@aguiws/client", replacement: `${client}/index.ts` },
    ],
    dedupe: ["@ag-ui/client", "@tanstack/ai", "@tanstack/ai-client", "rxjs"],
  },
  server: { proxy, fs: { allow: [".", client] } },
  preview: { proxy },
};
