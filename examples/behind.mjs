// What npm start of the examples with an agent does: it starts the agent, and aguiws of this checkout in front of it. What stands
// behind npm start -- goes to aguiws. An aguiws that is killed is started again, so that it can be seen what becomes of its
// questions; the agent keeps its own in memory.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(path.join(tmpdir(), "aguiws-"));
const program = path.join(folder, process.platform === "win32" ? "aguiws.exe" : "aguiws");
const children = new Set();
let ending = false;

function start(command, args, options, again) {
  const child = spawn(command, args, options);
  children.add(child);
  child.on("error", (error) => end(String(error)));
  child.on("exit", (code, signal) => {
    children.delete(child);
    if (signal === "SIGKILL" && again && !ending) return again();
    end(); // none is of use without the others
  });
  return child;
}

function end(error) {
  if (error) console.error(error);
  ending = true;
  for (const child of children) child.kill();
  if (children.size === 0) rmSync(folder, { recursive: true, force: true });
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end());

function gateway(upstreams) {
  const child = start(program, ["--upstreams", upstreams, ...process.argv.slice(2)], { stdio: "inherit" }, () => gateway(upstreams));
  console.log(`aguiws is process ${child.pid}`);
}

/** Starts a program of Node with these arguments, which ends with the others. */
export function beside(args, options) {
  return start(process.execPath, args, options);
}

/** Puts aguiws in front of an agent: a program of Node that prints its URL. The upstream has what aguiws is told beside the URL. */
export function front(args, env, upstream) {
  console.log("building aguiws");
  if (spawnSync("go", ["build", "-o", program, "."], { cwd: fileURLToPath(new URL("..", import.meta.url)), stdio: "inherit" }).status !== 0) {
    end("There is no aguiws: install Go 1.26.");
    process.exit(1);
  }
  const agent = beside(args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  agent.stdout.on("data", (said) => {
    process.stdout.write(said);
    const url = /http:\S+/.exec(said)?.[0];
    if (url) gateway(JSON.stringify([{ ...upstream, url }]));
  });
}
