#!/usr/bin/env node
// Writes the page into a new folder: npm create aguiws FOLDER.

import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const usage = "usage: npm create aguiws FOLDER";

function fail(message) {
  console.error(`create-aguiws: ${message}`);
  process.exit(1);
}

const [name, ...more] = process.argv.slice(2);
if (name === "--help" || name === "-h") {
  console.log(usage);
  process.exit();
}
if (!name || name.startsWith("-") || more.length) fail(`it takes the name of one folder\n${usage}`);

const folder = resolve(name);
try {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length) fail(`${folder} is not empty: name a new folder, or an empty one`);
} catch (error) {
  fail(`${folder} cannot be written: ${error.message}`);
}

cpSync(fileURLToPath(new URL("dist", import.meta.url)), folder, { recursive: true });
renameSync(join(folder, "gitignore"), join(folder, ".gitignore")); // npm packs no .gitignore
const about = join(folder, "package.json");
const manifest = JSON.parse(readFileSync(about, "utf8"));
// What npm allows in a package's name.
manifest.name = basename(folder).toLowerCase().replace(/[^a-z0-9._-]+/g, "-").replace(/^[^a-z0-9]+/, "") || "chat";
writeFileSync(about, `${JSON.stringify(manifest, null, 2)}\n`);

console.log(`The page is in ${folder}. It talks to the server at 127.0.0.1:8080. Next:

  cd ${/^[\w./-]+$/.test(name) ? name : JSON.stringify(name)}
  npm install
  npm run dev

Until @aguiws/client is on npm, npm install takes its tarball: https://github.com/aguiws/aguiws/blob/main/web/create/README.md`);
