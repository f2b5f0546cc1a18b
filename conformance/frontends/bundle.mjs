// Bundles the pages with the published frontends and the browser package, which finds its peers where the frontends have
// theirs: one @ag-ui/client for both, as in an application that installs them.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [here("pages/copilotkit.tsx"), here("pages/assistant.tsx")],
  outdir: here("build"),
  bundle: true,
  format: "esm",
  splitting: true,
  jsx: "automatic",
  minify: true,
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  alias: {
    "@aguiws/client": here("../../web/client/index.ts"),
    "@ag-ui/client": here("node_modules/@ag-ui/client"),
    rxjs: here("node_modules/rxjs"),
  },
  loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
  logLevel: "warning",
});
