/** Names of members whose texts are code, whatever they look like. */
const CODE = /^(?:code|sql|query|script|patch|diff|command|cmd|source|program|html|css|xml|json|ya?ml|toml|regexp?|stack|trace|logs?)$/i;

/** How code begins: a change, a program's first line, a tag, a fence. */
const BEGINS = /^\s*(?:diff --git|@@ |#!|<[a-z!?/]|```)/i;

/** How a line of code ends. */
const ENDS = /[;{}[(]\s*$/gm;

/** How a line begins that stands within another: people write few of them. */
const INDENTED = /^(?: {2,}|\t)\S/gm;

/** Whether a text is something that somebody wrote to be read, and no code. `name`: what it is called. */
export function isProse(text: string, name = ""): boolean {
  if (CODE.test(name) || BEGINS.test(text)) return false;
  const lines = text.split("\n", 400).length;
  const head = text.slice(0, 20_000);
  return 4 * ((head.match(ENDS)?.length ?? 0) + (head.match(INDENTED)?.length ?? 0)) < lines;
}
