// Bundles the pages with the published frontends and the browser package, which finds its peers where the frontends have
// theirs: one @ag-ui/client for both, as in an application that installs them.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const installed = (name) => here(`node_modules/${name}`);
const shared = ["@ag-ui/client", "@assistant-ui/react", "@assistant-ui/react-ag-ui", "react", "react-dom", "rxjs"];

const bundle = (entryPoints, aliases) => build({
  entryPoints,
  outdir: here("build"),
  bundle: true,
  format: "esm",
  splitting: true,
  jsx: "automatic",
  minify: true,
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  alias: {
    "@aguiws/client/assistant-ui": here("../../web/client/assistant-ui.ts"),
    "@aguiws/client/copilotkit": here("../../web/client/copilotkit.ts"),
    "@aguiws/client": here("../../web/client/index.ts"),
    ...Object.fromEntries(shared.map((name) => [name, installed(name)])),
    ...aliases,
  },
  loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
  logLevel: "warning",
});

await bundle([here("pages/copilotkit.tsx"), here("pages/assistant.tsx"), here("pages/questions.tsx")]);
await bundle([{ in: here("pages/assistant.tsx"), out: "assistant-0.0.56" }], {
  "@assistant-ui/react-ag-ui": installed("assistant-ui-react-ag-ui-0.0.56"),
});
