// Formulas as MathML, which browsers draw without any style or font of the page's.

import type { Nodes, Root } from "mdast";
import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";
import type { Options } from "react-markdown";
import { dollared, type Range } from "./formulas";

/** A formula may not do more than these make of it: what comes is untrusted. */
const LIMITS = { output: "mathml", trust: false, maxExpand: 100, maxSize: 20, strict: "ignore", throwOnError: false } as const;

/** What is shown letter by letter, goes elsewhere, or is a formula already. */
const KEPT = new Set<string>(["code", "inlineCode", "html", "math", "inlineMath", "link", "image", "definition"]);

interface Parsing {
  parser?: (text: string, file: never) => { type: string };
}

/** Has \( \) and \[ \] read as formulas. Where code is, only Markdown's own parser knows: it reads such a text twice. */
export function brackets(this: Parsing): undefined {
  const parse = this.parser!;
  this.parser = (text, file) => {
    const tree = parse(text, file);
    const written = dollared(text, keptIn(tree as Root));
    return written === text ? tree : parse(written, file);
  };
}

function keptIn(tree: Root): Range[] {
  const kept: Range[] = [];
  // A list, as agents nest deeper than calls may.
  const left: Nodes[] = [tree];
  for (let node; (node = left.pop()); ) {
    const at = node.position;
    // A link that was found in words has no place, and no such brackets.
    if (KEPT.has(node.type)) at && kept.push([at.start.offset!, at.end.offset!]);
    else if ("children" in node) for (let i = node.children.length; i-- > 0; ) left.push(node.children[i]!);
  }
  return kept;
}

// One dollar is money more often than a formula.
export default {
  remark: [[remarkMath, { singleDollarTextMath: false }], brackets],
  rehype: [[rehypeKatex, LIMITS]],
} satisfies { remark: Options["remarkPlugins"]; rehype: Options["rehypePlugins"] };
