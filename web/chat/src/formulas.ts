// Where a text may hold formulas, and the two ways to write them as one.

/** What no formula is in: blocks of code that have an end or not, and code within lines. */
const CODE = /(^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n {0,3}\2[`~]*[ \t]*(?=\n|$)|[\s\S]*$)|`+[^`\n]*`+)/gm;

/** Whether there may be a formula in it. */
export function mayHoldFormulas(text: string): boolean {
  return text.includes("$$") || /\\[([]/.test(text) || /^ {0,3}(`{3,}|~{3,})math/m.test(text);
}

/** The text with \( \) and \[ \], which models write as often, as $$. What has no end stays as it is. */
export function dollared(text: string): string {
  let out = "";
  let from = 0;
  for (const match of text.matchAll(CODE)) {
    out += outside(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return out + outside(text.slice(from));
}

/** Each place is looked for from the last one found, so that no text takes longer than it is long. */
function outside(text: string): string {
  const found = new Map<string, number>();
  const next = (what: string, from: number): number => {
    const last = found.get(what);
    if (last !== undefined && last >= from) return last;
    const at = text.indexOf(what, from);
    found.set(what, at < 0 ? Infinity : at);
    return found.get(what)!;
  };
  let out = "";
  let from = 0;
  for (const { index, 0: opens } of text.matchAll(/(?<!\\)\\[([]/g)) {
    const begin = index + opens.length;
    const inline = opens === "\\(";
    const end = next(inline ? "\\)" : "\\]", begin);
    if (index < from || end === Infinity || next("$$", begin) < end || (inline && next("\n", begin) < end)) continue;
    const formula = text.slice(begin, end).trim();
    if (formula === "") continue;
    out += text.slice(from, index) + (inline ? `$$${formula}$$` : `\n$$\n${formula}\n$$\n`);
    from = end + 2;
  }
  return out + text.slice(from);
}
