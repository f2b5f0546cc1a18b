// Bundles the page with published CopilotKit alone.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: { page: here("page.tsx") },
  outdir: process.argv[2],
  bundle: true,
  format: "esm",
  splitting: true,
  jsx: "automatic",
  minify: true,
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
  logLevel: "warning",
});
