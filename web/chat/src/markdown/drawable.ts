// How much of a text is drawn as Markdown. Whoever writes may write what takes long to read, for everybody who looks at it: the
// parser's time grows with the square of the markers of a paragraph, its calls with the depth of quotes, and all of it with
// what there is to draw.

import { mayHoldFormulas } from "./formulas";

/** What a text may weigh. A marker and a line's end weigh one, a block's end two; 50 ms of a slow machine. */
const MOST = 1_500;

/** Of ordinary letters, and of words, so many weigh one; where formulas may be, each of which is drawn by itself, fewer do. */
const LETTERS = 25;
const IN_FORMULAS = 5;

/** What makes a line an item of a list, a quote or a heading weighs more than its characters. */
const BLOCK = 4;

/** A line that goes on in an item or a quote without its mark weighs so much more. */
const LAZY = 2;

/** So many characters that end something may stand in one paragraph: for each the parser looks back for what it ends. */
const ENDS = 300;
const ENDING = new Set("*_~$]");

/**
 * Behind a bracket the parser looks back to it from each word, which may be an address of mail. What stands between is
 * counted, a marker and a line's end as so many words, and of so many a word weighs one more.
 */
const BETWEEN = 4;
const BACK = 300;
const WORDLY = /[\w+.-]/;

/** So deep may quotes and lists stand in each other. */
const DEPTH = 12;

const MARKERS = new Set("*_~`[]()<>|#!$\\&=:@{}^\t");
const FORMULAS = new Set("$\\");
const NOTHING = new Set<string>();
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;

/** Up to where a text is drawn: to its end, or to the end of a block before what is too much. What comes behind is shown as it was written. */
export function drawnUpTo(text: string): number {
  const letters = mayHoldFormulas(text.slice(0, MOST * LETTERS)) ? IN_FORMULAS : LETTERS;
  const heavy = letters === IN_FORMULAS ? FORMULAS : NOTHING;
  // In HTML and in formulas what looks like a block of code is none.
  let fences = letters === LETTERS;
  let fence = "";
  let weight = 0;
  let ends = 0;
  let behind = 0;
  let inside = false;
  let end = 0;
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf("\n", from) + 1 || text.length;
    const line = text.slice(from, Math.min(next, from + (MOST + 1) * LETTERS));
    from = next;
    weight += 1 + (line.length + words(line)) / letters;
    if (fence !== "") {
      const said = line.trim();
      if (said.length >= fence.length && said === fence[0]!.repeat(said.length)) fence = "";
    } else if (line.trim() === "") {
      weight++;
      ends = behind = 0;
      inside = false;
      if (weight <= MOST) end = next;
    } else {
      fences &&= !/^ {0,3}</.test(line);
      fence = (fences && FENCE.exec(line)?.[1]) || "";
      const { depth, blocks, begins } = opened(line);
      if (begins) ends = behind = 0;
      weight += blocks * BLOCK + unmarked(line);
      if (blocks > 0) inside = true;
      else if (inside) weight += LAZY;
      if (behind > 0) behind += BETWEEN;
      let within = false;
      for (const letter of line) {
        const marks = MARKERS.has(letter);
        if (marks) weight += heavy.has(letter) ? 2 : 1;
        if (ENDING.has(letter)) ends++;
        if (behind > 0 ? marks : letter === "[") behind += BETWEEN;
        const wordly = behind > 0 && WORDLY.test(letter);
        if (wordly && !within) weight += ++behind / BACK;
        within = wordly;
      }
      if (depth > DEPTH || ends > ENDS) return end;
    }
    if (weight > MOST) return end;
  }
  return text.length;
}

/** What a line opens: how deep, how many blocks, and whether a new paragraph begins with it in any case. */
function opened(line: string): { depth: number; blocks: number; begins: boolean } {
  const [before] = /^(?:[ \t>]|[-*+](?=\s)|\d{1,9}[.)](?=\s))*/.exec(line)!;
  const items = before.match(/[-*+]|\d+[.)]/g)?.length ?? 0;
  const quotes = before.split(">").length - 1;
  // A line under a paragraph makes it a heading.
  const headings = /^[-=]+\s*$/.test(line.slice(before.length)) ? 1 : 0;
  // An item stands in those that its line is indented behind.
  const indented = items > 0 ? before.length - before.trimStart().length : 0;
  return { depth: items + quotes + indented / 2, blocks: items + quotes + headings, begins: /^ {0,3}([-*+] |#{1,6} )/.test(line) };
}

/** What a line weighs beside its markers: for links that are words, an end that breaks it, and what may be a table's row. */
function unmarked(line: string): number {
  return 2 * (line.split(/www\./i).length - 1) + (line.endsWith("  \n") ? 1 : 0) + (line.includes("|") ? 1 : 0);
}

function words(line: string): number {
  return line.split(" ").length - 1;
}
