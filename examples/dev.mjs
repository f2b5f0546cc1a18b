// What npm run dev of the examples does: the server, built from this checkout, and Vite before it. AGUIWS_URL names a server
// that is there already.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const children = new Set();
let folder;
let ending = false;

function start(program, args, options) {
  const child = spawn(program, args, options);
  children.add(child);
  // None is of use without the other.
  child.on("error", (error) => {
    console.error(String(error));
    children.delete(child);
    end(1);
  });
  child.on("exit", (code) => {
    children.delete(child);
    end(code ?? 1);
  });
  return child;
}

/** Ends what was started, and then this process. */
function end(code) {
  if (!ending) {
    ending = true;
    process.exitCode = code;
    for (const child of children) child.kill();
    setTimeout(() => children.forEach((child) => child.kill("SIGKILL")), 5000).unref();
  }
  if (children.size > 0) return;
  if (folder) rmSync(folder, { recursive: true, force: true });
  process.exit();
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end(0));

/** Starts the server on a port that is free, and resolves with its address. */
function server() {
  folder = mkdtempSync(path.join(tmpdir(), "aguiws-"));
  const program = path.join(folder, process.platform === "win32" ? "aguiws.exe" : "aguiws");
  const root = fileURLToPath(new URL("..", import.meta.url));
  console.log("building the server");
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) {
    console.error("There is no server: install Go 1.26, or name one that is there, as in AGUIWS_URL=http://127.0.0.1:8080 npm run dev");
    end(1);
  }
  const child = start(program, ["--addr", "127.0.0.1:0", "--log-level", "warn"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve) => {
    let said = "";
    child.stdout.on("data", (data) => {
      process.stdout.write(data);
      said += data;
      const address = /open (http:\/\/\S+?)\/?\s/.exec(said);
      if (address) resolve(address[1]);
    });
  });
}

const AGUIWS_URL = process.env.AGUIWS_URL ?? (await server());
start(process.execPath, [path.join("node_modules", "vite", "bin", "vite.js"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, AGUIWS_URL },
});
