import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The page that the server embeds. Hashed names for everything that may be cached for ever; nothing inline, so that
// the strict content security policy of web.go holds.
export default defineConfig({
  root: "chat",
  base: "/",
  plugins: [react()],
  resolve: {
    // The sources, and never what was last compiled from them for npm.
    alias: [{ find: /^(\.\.\/)+client$/, replacement: fileURLToPath(new URL("client/index.ts", import.meta.url)) }],
  },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: { "/agui": { target: "http://127.0.0.1:8080", ws: true }, "/v1": { target: "http://127.0.0.1:8080" } },
  },
  test: {
    root: ".",
    // A slow machine is no fault of the page's.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ["client/test/**/*.test.ts", "chat/test/**/*.test.ts"],
  },
});
