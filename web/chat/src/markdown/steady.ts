// Markdown that is still being written. A marker that has no end yet would be shown as itself and vanish when its end
// comes; a line under a paragraph would make it a heading until the rest of the line comes. Both flicker.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The text so far, with what is open closed and what cannot be judged yet left out. */
export function steady(text: string): string {
  const lines = text.split("\n");
  const fence = openFence(lines);
  if (fence) {
    // A fence's end that has not wholly come is no code.
    const last = lines.at(-1)!.trim();
    if (last !== "" && fence.startsWith(last)) lines.pop();
    return lines.join("\n");
  }
  if (undecided(lines.at(-1)!)) lines.pop();
  return closed(lines);
}

/** The marker of a code block that has no end yet. */
function openFence(lines: string[]): string | undefined {
  let open: string | undefined;
  for (const line of lines) {
    const marker = FENCE.exec(line)?.[1];
    if (!marker) continue;
    if (!open) open = marker;
    else if (marker[0] === open[0] && marker.length >= open.length && line.trim() === marker) open = undefined;
  }
  return open;
}

/** Whether a line consists of a beginning only: of a list item, a heading, an underline, a table's rule, a fence. */
function undecided(line: string): boolean {
  return /^\s*([-=*_+#>`~]+|\d+[.)]?|\|[\s|:-]*)\s*$/.test(line) && line.trim() !== "";
}

/** Closes what the last paragraph has opened inside its lines. */
function closed(lines: string[]): string {
  let begin = lines.length;
  while (begin > 0 && lines[begin - 1]!.trim() !== "") begin--;
  const before = lines.slice(0, begin).join("\n");
  if (begin === lines.length) return before;
  let last = lines.slice(begin).join("\n");
  last = last.replace(/!?\[([^\]\n]*)(\]\([^)\n]*)?$/, "$1");
  const code = last.split("`").length % 2 === 0;
  if (code) {
    last = /`$/.test(last) ? last.replace(/`+$/, "") : `${last}\``;
  } else {
    last = last.replace(/[*_~]+$/, (end) => (balanced(last.slice(0, -end.length), end) ? "" : end));
    const outside = last.replace(/`[^`]*`/g, "");
    for (const marker of ["~~", "**", "__"]) {
      if (outside.split(marker).length % 2 === 0) last = `${last.trimEnd()}${marker}`;
    }
    const single = outside.replaceAll("**", "");
    if (/(^|[\s(])\*[^\s*]/.test(single) && single.split("*").length % 2 === 0 && !/^\s*\* /m.test(single)) last = `${last.trimEnd()}*`;
  }
  return before === "" ? last : `${before}\n${last}`;
}

/** Whether every such marker before has its end, so that a marker at the end begins something. */
function balanced(text: string, marker: string): boolean {
  return text.split(marker).length % 2 === 1;
}
