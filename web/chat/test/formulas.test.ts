import { describe, expect, it } from "vitest";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { dollared, mayHoldFormulas } from "../src/markdown/formulas";
import maths from "../src/markdown/maths";

/** What of a text is read as Markdown in the end. */
function read(text: string): string {
  let last = "";
  function listens(this: { parser?: (text: string, file: never) => never }): undefined {
    const parse = this.parser!;
    this.parser = (text, file) => parse((last = text), file);
  }
  renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [listens, remarkGfm, ...maths.remark], rehypePlugins: maths.rehype, children: text }));
  return last;
}

describe("formulas", () => {
  const cases: Array<[what: string, text: string, want?: string]> = [
    ["within a line", "with \\(a+b\\) in it", "with $$a+b$$ in it"],
    ["of lines of their own", "so \\[a\n+ b\\] it is", "so \n$$\na\n+ b\n$$\n it is"],
    ["two in a line", "\\(a\\) and \\(b\\)", "$$a$$ and $$b$$"],
    ["with commands in them", "\\(\\frac{1}{2}\\)", "$$\\frac{1}{2}$$"],
    ["that have no end yet", "with \\(a+b", "with \\(a+b"],
    ["over lines, which a line's end ends", "with \\(a\n+b\\)", "with \\(a\n+b\\)"],
    ["not in code within a line", "a `\\(a\\)` b", "a `\\(a\\)` b"],
    ["not in a block of code", "```\n\\(a\\)\n```\n\\(b\\)", "```\n\\(a\\)\n```\n$$b$$"],
    ["not in a block that has no end yet", "```tex\n\\(a\\)", "```tex\n\\(a\\)"],
    ["not in a block within a list", "- a\n    ```sh\n    grep '\\(a\\)'\n    ```", undefined],
    ["not in a block right behind a list's marker", "10. ```\n    \\(a\\)\n    ```\n- ~~~\n  \\[a\\]\n  ~~~", undefined],
    ["not in a block behind a tab", "-\t```\n\t\\(a\\)\n\t```", undefined],
    ["not in a block within a quotation", "> ```\n> \\(a\\)\n> ```", undefined],
    ["not in an indented block", "    \\(a\\)", undefined],
    ["not in code of two lines", "`\\(a\\)\n\\(b\\)`", undefined],
    ["not in an address", "[a](https://example.org/\\(b\\)) <https://example.org/\\(b\\)>", undefined],
    ["beside such code", "- \\(a\\)\n  ```\n  \\(a\\)\n  ```\n- `\\(a\\)` \\(b\\)", "- $$a$$\n  ```\n  \\(a\\)\n  ```\n- `\\(a\\)` $$b$$"],
    ["behind characters of two halves", "😀 `\\(a\\)` \\(b\\)\r\n`\\(c\\)`", "😀 `\\(a\\)` $$b$$\r\n`\\(c\\)`"],
    ["beside an address in words", "\"www.a.example\" has \\(a\\)", "\"www.a.example\" has $$a$$"],
    ["not behind a backslash of its own", "\\\\(a\\)", "\\\\(a\\)"],
    ["not where dollars are already", "\\($$a$$\\)", "\\($$a$$\\)"],
  ];
  it.each(cases)("%s", (_, text, want) => expect(read(text)).toBe(want ?? text));

  it.each([
    ["$$x$$", true],
    ["\\(x\\)", true],
    ["```math\nx\n```", true],
    ["it costs $5, or $10", false],
    ["f(x) and [y]", false],
  ])("%j", (text, want) => expect(mayHoldFormulas(text)).toBe(want));

  it("takes a time that grows with the text alone", () => {
    for (const text of ["\\(`".repeat(50_000) + "\\[".repeat(50_000), `${"\\(".repeat(50_000)}\n\\)`, `${"\\[".repeat(50_000)}$$\\]`]) {
      expect(dollared(text, [])).toBe(text);
    }
    for (const text of [`${"`".repeat(100_000)}x`, `${"~".repeat(100_000)} \\(x`, `\\(${"`".repeat(100_000)}x`]) expect(read(text)).toBe(text);
  });
});
