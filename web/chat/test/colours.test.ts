import { expect, it } from "vitest";
import coloured, { COLOURED } from "../src/markdown/colours";

const program = "func main() { println(1) }\n";

it("colours a program, and none that is too long", () => {
  expect(coloured("go", program)).toBeDefined();
  expect(coloured("go", "a".repeat(COLOURED))).toBeDefined();
  expect(coloured("go", "a".repeat(COLOURED + 1))).toBeUndefined();
});

it.each(["markdown", "md", "mkdown", "mkd", "no-language"])("leaves %s as it is", (language) => {
  expect(coloured(language, "[a](".repeat(700))).toBeUndefined();
});
