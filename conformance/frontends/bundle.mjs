// Bundles the pages with the published frontends and the browser package, which finds its peers where the frontends have
// theirs: one @ag-ui/client for both, as in an application that installs them.

import { build } from "esbuild";
import { join } from "../../web/react/styles/join.mjs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const installed = (name) => here(`node_modules/${name}`);
const shared = ["@ag-ui/client", "@assistant-ui/react", "@assistant-ui/react-ag-ui", "react", "react-dom", "rxjs"];

// The documents name a server by its whole address, and the lane's network has one of its own.
const relative = {
  name: "relative",
  setup: ({ onLoad }) => onLoad({ filter: /snippets.(httpagent|react|react-parts)\.tsx$/ }, async ({ path }) => ({
    contents: (await readFile(path, "utf8")).replace(/(http|ws):\/\/127\.0\.0\.1:8080\//, "/"),
    loader: "tsx",
  })),
};

const bundle = (entryPoints, aliases) => build({
  plugins: [relative],
  nodePaths: [here("node_modules")], // of examples/copilotkit
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
    "@aguiws/react/styles.css": here("build/react.css"),
    "@aguiws/react": here("../../web/react/index.ts"),
    ...Object.fromEntries(shared.map((name) => [name, installed(name)])),
    ...aliases,
  },
  loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
  logLevel: "warning",
});

await mkdir(here("build"), { recursive: true });
await writeFile(here("build/react.css"), await join());
await bundle(["copilotkit", "assistant", "questions", "decision", "hooks"].map((name) => here(`pages/${name}.tsx`)));
const ofWeb = (name) => [name, here(`../../web/node_modules/${name}`)];
await bundle([here("pages/quickstart.tsx")], Object.fromEntries(["@ag-ui/client", "rxjs"].map(ofWeb)));
await bundle([{ in: here("pages/assistant.tsx"), out: "assistant-0.0.56" }], {
  "@assistant-ui/react-ag-ui": installed("assistant-ui-react-ag-ui-0.0.56"),
});
