// Makes styles.css: the rules by which the chat page draws the same parts, for what is within a part and nothing else. The
// class of a part adds no weight to them, so that an application's own rules win.

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const FILES = ["tokens", "base", "buttons", "tags", "fields", "text", "args", "decision", "list", "ledto"];
const ROOT = ":where(.aguiws)";

/** The text of styles.css. */
export async function join() {
  const parts = await Promise.all(FILES.map((name) => readFile(new URL(`${name}.css`, import.meta.url), "utf8")));
  const rules = parts.join("\n").replaceAll(/^:root \{/gm, "& {").replaceAll(/^(\.guarded[^{]*) \{/gm, "$1, &$1 {");
  return `/* Set any of the custom properties on .aguiws to change its looks. */\n${ROOT} {\n& { color: var(--text); overflow-wrap: anywhere; }\n& + &:not(& *) { margin-block-start: var(--space-3); }\n${rules}}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeFile(new URL("../dist/styles.css", import.meta.url), await join());
