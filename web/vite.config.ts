import react from "@vitejs/plugin-react";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The page's icon with a count on it, an icon for each, which browsers hold once for all their tabs. The last one is for more. */
function countingIcons(most: number): Plugin {
  return {
    name: "counting-icons",
    generateBundle() {
      const icon = readFileSync(new URL("chat/public/icon.svg", import.meta.url), "utf8");
      for (let n = 1; n <= most + 1; n++) {
        const badge =
          `<circle cx="21" cy="21" r="11" fill="#d9480f"/>` +
          `<text x="21" y="26.5" fill="#fff" font-family="sans-serif" font-size="${n > most ? 13 : 16}" font-weight="700" text-anchor="middle">${n > most ? `${most}+` : n}</text>`;
        this.emitFile({ type: "asset", fileName: `icon-${n}.svg`, source: icon.replace("</svg>", `${badge}</svg>`) });
      }
    },
  };
}

// The page that the server embeds. Hashed names for everything that may be cached for ever; nothing inline, so that
// the strict content security policy of web.go holds.
export default defineConfig({
  root: "chat",
  // The files name each other by where they are; web.go says where that is to the page itself.
  base: "./",
  plugins: [react(), countingIcons(9)],
  resolve: {
    // The sources, and never what was last compiled from them for npm.
    alias: [{ find: /^((\.\.\/)+|@aguiws\/)client$/, replacement: fileURLToPath(new URL("client/index.ts", import.meta.url)) }],
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
    include: ["client/test/**/*.test.ts", "react/test/**/*.test.ts", "chat/test/**/*.test.ts"],
  },
});
