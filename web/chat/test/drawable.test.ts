// What is too much is not laid out, and is there to be read all the same.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { drawnUpTo } from "../src/markdown/drawable";
import Markdown from "../src/markdown/Markdown";

const drawn = (text: string) => renderToStaticMarkup(createElement(Markdown, { text, growing: false }));
const answer = "## A part\n\nSome **bold** words, `code` and a [link](https://a.example/x), and the sentence goes on for a while longer.\n\n- one item\n- another item\n\n";
const program = `\`\`\`go\n${"if a[i] == *b && !c { d(&e, \"#\") }\n".repeat(500)}\`\`\`\n`;

it.each<[string, string]>([
  ["an ordinary long answer", answer.repeat(25)],
  ["a table of a hundred lines", `| a | b | c |\n|---|---|---|\n${"| one | 2 | three |\n".repeat(100)}`],
  ["a long program", `Here it is:\n\n${program}\nThat is *all*.`],
  ["a long list with words in bold", "- a **bold** word\n".repeat(100)],
  ["quotes in quotes", "> > > deep\n"],
])("%s is drawn whole", (_, text) => expect(drawnUpTo(text)).toBe(text.length));

const hidden = "*a_ ".repeat(15_000);
it.each<[string, string]>([
  ["emphasis", hidden],
  ["emphasis in many short paragraphs", "*a_ *a_\n\n".repeat(7_000)],
  ["emphasis in lines that begin no list", `a\n${"    - *a_ *a_\n2. *a_ *a_\n".repeat(2_000)}`],
  ["what is struck out", "~~a".repeat(20_000)],
  ["tables", `${"|a".repeat(5_000)}|\n${"|-".repeat(5_000)}|\n`],
  ["quotes in quotes", ">".repeat(3_000)],
  ["lists in lists", Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
  ["brackets", "[".repeat(60_000)],
  ["links", "[a](b) ".repeat(9_000)],
  ["words that are links", "www.a.b ".repeat(4_000)],
  ["what may end a link", "a]".repeat(1_000)],
  ["words behind a bracket", `[${"word ".repeat(4_000)}`],
  ["words behind a bracket, in letters that part them", `[${"日a".repeat(8_000)}`],
  ["marks behind a bracket", `[${"a\\*\n".repeat(700)}`],
  ["quotes", "> a\n\n".repeat(400)],
  ["headings by a line under them", "a\n-\n".repeat(400)],
  ["items with nothing in them", "-\n".repeat(1_000)],
  ["lines", "a\n=\n".repeat(9_000)],
  ["formulas", "$$a$$ ".repeat(9_000)],
  ["words", "word ".repeat(40_000)],
  ["emphasis behind a block that is none: in HTML", `<!--\n\`\`\`\n-->\n${hidden}`],
  ["emphasis behind a block that is none: in a formula", `$$\n\`\`\`\n$$\n${hidden}`],
  ["emphasis behind a block that is none: its list has ended", `- a\n  \`\`\`\n${hidden}`],
  ["emphasis behind a block that is none: a mark in its name", `\`\`\` a\`\n${hidden}`],
  ["emphasis behind a block that has ended", `~~~\n~~~~ \n${hidden}`],
])("too much of %s is cut", (_, text) => {
  const end = drawnUpTo(text);
  expect(end).toBeLessThan(text === "word ".repeat(40_000) ? 40_000 : 4_000);
  const html = drawn(text);
  expect(html).toContain("it is too much to lay out");
  const shown = html.slice(html.indexOf("not-drawn")).replace(/<[^>]*>/g, "").replaceAll("&gt;", ">").replaceAll("&lt;", "<");
  expect(shown.endsWith(text.slice(end))).toBe(true);
});

it("draws what comes before it, to the end of a block", () => {
  const text = `${answer.repeat(2)}${hidden}`;
  expect(text.slice(0, drawnUpTo(text))).toBe(answer.repeat(2));
  expect(drawn(text).match(/role="heading"/g)).toHaveLength(2);
});
