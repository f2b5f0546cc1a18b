// Makes dist, what create.mjs copies: the template, the code that the documentation shows, and
// the versions that this checkout is tested with.

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const near = (path) => new URL(path, import.meta.url);

rmSync(near("dist"), { recursive: true, force: true });
cpSync(near("template"), near("dist"), { recursive: true });
for (const name of ["page.ts", "usethread.ts", "chat.tsx"]) cpSync(near(`../../conformance/frontends/snippets/${name}`), near(`dist/src/${name}`));

const read = (path) => JSON.parse(readFileSync(near(path), "utf8"));
const [client, web] = [read("../client/package.json"), read("../package.json").devDependencies];
const tested = (...names) => Object.fromEntries(names.map((name) => [name, web[name]]));
writeFileSync(near("dist/package.json"), JSON.stringify({
  name: "chat",
  private: true,
  type: "module",
  scripts: { dev: "vite", build: "tsc && vite build", preview: "vite preview" },
  dependencies: { ...tested("@ag-ui/client"), [client.name]: client.version, ...tested("react", "react-dom") },
  devDependencies: tested("@types/react", "@types/react-dom", "typescript", "vite"),
}));
