// Bundles the page once for each of the older releases, with one React for all.

import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { devDependencies } = JSON.parse(await readFile(here("package.json"), "utf8"));
const releases = Object.keys(devDependencies).filter((name) => name.startsWith("copilotkit-"));

for (const release of releases) {
  await build({
    entryPoints: { [release]: here("page.tsx") },
    outdir: process.argv[2],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    minify: true,
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    alias: {
      copilotkit: here(`node_modules/${release}/dist/v2/index.mjs`),
      "copilotkit.css": here(`node_modules/${release}/dist/v2/index.css`),
      react: here("node_modules/react"),
      "react-dom": here("node_modules/react-dom"),
    },
    loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
    logLevel: "error",
  });
}
