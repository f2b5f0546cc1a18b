import { describe, expect, it } from "vitest";
import { dollared, mayHoldFormulas } from "../src/formulas";

describe("formulas", () => {
  const cases: Array<[what: string, text: string, want: string]> = [
    ["within a line", "with \\(a+b\\) in it", "with $$a+b$$ in it"],
    ["of lines of their own", "so \\[a\n+ b\\] it is", "so \n$$\na\n+ b\n$$\n it is"],
    ["two in a line", "\\(a\\) and \\(b\\)", "$$a$$ and $$b$$"],
    ["with commands in them", "\\(\\frac{1}{2}\\)", "$$\\frac{1}{2}$$"],
    ["that have no end yet", "with \\(a+b", "with \\(a+b"],
    ["over lines, which a line's end ends", "with \\(a\n+b\\)", "with \\(a\n+b\\)"],
    ["not in code within a line", "a `\\(a\\)` b", "a `\\(a\\)` b"],
    ["not in a block of code", "```\n\\(a\\)\n```\n\\(b\\)", "```\n\\(a\\)\n```\n$$b$$"],
    ["not in a block that has no end yet", "```tex\n\\(a\\)", "```tex\n\\(a\\)"],
    ["not behind a backslash of its own", "\\\\(a\\)", "\\\\(a\\)"],
    ["not where dollars are already", "\\($$a$$\\)", "\\($$a$$\\)"],
  ];
  it.each(cases)("%s", (_, text, want) => expect(dollared(text)).toBe(want));

  it.each([
    ["$$x$$", true],
    ["\\(x\\)", true],
    ["```math\nx\n```", true],
    ["it costs $5, or $10", false],
    ["f(x) and [y]", false],
  ])("%j", (text, want) => expect(mayHoldFormulas(text)).toBe(want));

  it("takes a time that grows with the text alone", () => {
    for (const text of ["\\(`".repeat(50_000) + "\\[".repeat(50_000), `${"\\(".repeat(50_000)}\n\\)`, `${"\\[".repeat(50_000)}$$\\]`]) {
      expect(dollared(text)).toBe(text);
    }
  });
});
