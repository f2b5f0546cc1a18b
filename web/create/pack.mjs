// Makes dist, what create.mjs copies: the template, the code that the documentation shows, and
// the versions that this checkout is tested with.

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const near = (path) => new URL(path, import.meta.url);
const shown = (name) => readFileSync(near(`../../conformance/frontends/snippets/${name}`), "utf8");

rmSync(near("dist"), { recursive: true, force: true });
cpSync(near("template"), near("dist"), { recursive: true });
for (const name of ["page.ts", "thread.ts"]) writeFileSync(near(`dist/src/${name}`), shown(name));

// The page's own thread connects by itself.
const connects = "  useEffect(() => void tell(opened), []);\n";
const chat = shown("httpagent.tsx").match(/^function Chat\(\) \{[^]*?^\}\n/m)?.[0];
if (!chat?.includes(connects)) throw new Error("httpagent.tsx has no Chat that connects");
writeFileSync(near("dist/src/chat.tsx"), `import type { Interrupt } from "@ag-ui/client";
import { useState, type FormEvent } from "react";
import { agent, answer, choicesOf, send } from "./page";
import { useThread } from "./thread";

export ${chat.replace(connects, "")}`);

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
