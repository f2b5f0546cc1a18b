// Where a text may hold formulas, and the two ways to write them as one.

/** Whether there may be a formula in it. */
export function mayHoldFormulas(text: string): boolean {
  return text.includes("$$") || /\\[([]/.test(text) || /^ {0,3}(`{3,}|~{3,})math/m.test(text);
}

/** A part of a text, by the places of its first character and behind its last one. */
export type Range = readonly [from: number, to: number];

/**
 * The text with \( \) and \[ \], which models write as often, as $$. What has no end stays as it is, and so do the kept
 * parts, which come in their order.
 */
export function dollared(text: string, kept: readonly Range[]): string {
  let out = "";
  let from = 0;
  for (const [begin, end] of kept) {
    out += outside(text.slice(from, begin)) + text.slice(begin, end);
    from = end;
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
