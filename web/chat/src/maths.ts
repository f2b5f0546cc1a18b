// Formulas as MathML, which browsers draw without any style or font of the page's.

import rehypeKatex from "rehype-katex";
import remarkMath from "remark-math";
import type { Options } from "react-markdown";

/** A formula may not do more than these make of it: what comes is untrusted. */
const LIMITS = { output: "mathml", trust: false, maxExpand: 100, maxSize: 20, strict: "ignore", throwOnError: false } as const;

// One dollar is money more often than a formula.
export default {
  remark: [[remarkMath, { singleDollarTextMath: false }]],
  rehype: [[rehypeKatex, LIMITS]],
} satisfies { remark: Options["remarkPlugins"]; rehype: Options["rehypePlugins"] };
