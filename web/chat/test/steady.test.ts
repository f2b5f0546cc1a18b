// Markdown in mid-stream.

import { describe, expect, it } from "vitest";
import { steady } from "../src/markdown/steady";

describe("markdown that is still being written", () => {
  it.each([
    ["plain text", "plain text"],
    ["some **bold", "some **bold**"],
    ["some **bold ", "some **bold**"],
    ["some **", "some "],
    ["some **bold** and", "some **bold** and"],
    ["some **bold**", "some **bold**"],
    ["an *emphasis", "an *emphasis*"],
    ["2 * 3", "2 * 3"],
    ["* item", "* item"],
    ["some `code", "some `code`"],
    ["some `", "some "],
    ["some `code` and", "some `code` and"],
    ["~~gone", "~~gone~~"],
    ["see [the page", "see the page"],
    ["see [the page](https://exam", "see the page"],
    ["see [the page](https://example.org)", "see [the page](https://example.org)"],
    ["a paragraph\n-", "a paragraph"],
    ["a paragraph\n==", "a paragraph"],
    ["a paragraph\n\n1", "a paragraph\n"],
    ["| a | b |\n|", "| a | b |"],
    ["```go\nfunc a(**b", "```go\nfunc a(**b"],
    ["```go\nx\n``", "```go\nx"],
    ["```go\nx\n```\nsome **bold", "```go\nx\n```\nsome **bold**"],
    ["one **bold** here\n\nthe next `x", "one **bold** here\n\nthe next `x`"],
    ["snake_case_name", "snake_case_name"],
    ["", ""],
  ])("%j is shown as %j", (given, shown) => expect(steady(given)).toBe(shown));

  it("never shows more than was written but the ends of what is open", () => {
    const text = "# Head\n\nSome **bold *and* more** `code` [link](https://x.org).\n\n- a\n- b\n\n```js\nlet a = `${1}`;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    for (let end = 0; end <= text.length; end++) {
      const shown = steady(text.slice(0, end));
      expect(shown.length).toBeLessThanOrEqual(end + 5);
    }
    expect(steady(text)).toBe(text);
  });
});
