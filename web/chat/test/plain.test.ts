// The English texts of the page and of its parts begin with their subject.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const roots = ["../src/", "../../react/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const inverted = /^(?:As|Behind|Nobody|Nothing|Of|So|What|Where|Whether|Who|Whoever|Whose|With) \S+ \S/;

/** The sentences of a file's strings and of its elements. */
function sentences(file: string): string[] {
  const list: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      list.push(...node.text.trim().replace(/\s+/g, " ").split(/(?<=[.!?:]) (?=[A-Z])/));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, false));
  return list;
}

it("begins with a subject", () => {
  const files = roots.flatMap((root) => (readdirSync(root, { recursive: true }) as string[]).filter((file) => /^(?!dist|types|test|words\/de|lib\/german).*\.tsx?$/.test(file)).map((file) => root + file));
  const all = files.flatMap(sentences);
  expect(all.length).toBeGreaterThan(1000);
  expect(all.filter((text) => inverted.test(text) && !text.endsWith("?"))).toEqual([]);
});
