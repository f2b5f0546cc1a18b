// How much of a text is drawn as Markdown. Whoever writes may write what takes long to read, for everybody who looks at it: the
// parser's time grows with the square of the markers of a paragraph, its calls with the depth of quotes, and all of it with
// what there is to draw.

import { mayHoldFormulas } from "./formulas";

/** What a text may weigh. A marker and a line's end weigh one; 50 ms of a slow machine. */
const MOST = 1_500;

/** Of ordinary letters so many weigh one; where formulas may be, each of which is drawn by itself, fewer do. */
const LETTERS = 25;
const IN_FORMULAS = 5;

/** What makes a line an item of a list weighs more than its characters. */
const ITEM = 4;

/** So many markers of emphasis may stand in one paragraph. */
const EMPHASIS = 300;

/** So deep may quotes and lists stand in each other. */
const DEPTH = 12;

const MARKERS = new Set("*_~`[]()<>|#!$\\&=:@{}^\t");
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;

/** Up to where a text is drawn: to its end, or to the end of a block before what is too much. What comes behind is shown as it was written. */
export function drawnUpTo(text: string): number {
  const letters = mayHoldFormulas(text.slice(0, MOST * LETTERS)) ? IN_FORMULAS : LETTERS;
  // In HTML and in formulas what looks like a block of code is none.
  let fences = letters === LETTERS;
  let fence = "";
  let weight = 0;
  let emphasis = 0;
  let end = 0;
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf("\n", from) + 1 || text.length;
    const line = text.slice(from, Math.min(next, from + (MOST + 1) * LETTERS));
    from = next;
    weight += 1 + line.length / letters;
    if (fence !== "") {
      const said = line.trim();
      if (said.length >= fence.length && said === fence[0]!.repeat(said.length)) fence = "";
    } else if (line.trim() === "") {
      emphasis = 0;
      if (weight <= MOST) end = next;
    } else {
      fences &&= !/^ {0,3}</.test(line);
      fence = (fences && FENCE.exec(line)?.[1]) || "";
      const { depth, items, begins } = opened(line);
      if (begins) emphasis = 0;
      weight += items * ITEM;
      for (const letter of line) {
        if (MARKERS.has(letter)) weight++;
        if (letter === "*" || letter === "_" || letter === "~" || letter === "$") emphasis++;
      }
      if (depth > DEPTH || emphasis > EMPHASIS) return end;
    }
    if (weight > MOST) return end;
  }
  return text.length;
}

/** What a line opens: how deep, how many items of lists, and whether a new paragraph begins with it in any case. */
function opened(line: string): { depth: number; items: number; begins: boolean } {
  const [before] = /^(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/.exec(line)!;
  const items = before.match(/[-*+]|\d+[.)]/g)?.length ?? 0;
  const quotes = before.split(">").length - 1;
  // An item stands in those that its line is indented behind.
  const indented = items > 0 ? before.length - before.trimStart().length : 0;
  return { depth: items + quotes + indented / 2, items, begins: /^ {0,3}([-*+] |#{1,6} )/.test(line) };
}
