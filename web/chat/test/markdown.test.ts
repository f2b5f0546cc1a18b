import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import Markdown from "../src/markdown/Markdown";

const drawn = (text: string) => renderToStaticMarkup(createElement(Markdown, { text, growing: false }));

describe("a picture", () => {
  it.each([
    ["from elsewhere", "[![build](https://a.example/b.png)](https://c.example/d)"],
    ["within the text", "[![build](data:image/png;base64,AAAA)](https://c.example/d)"],
    ["among other things", "[see **![build](https://a.example/b.png)** here](https://c.example/d)"],
  ])("%s stands in no link, which stands behind it", (_, text) => {
    const html = drawn(text);
    expect(html).toContain("(link to c.example)</a>");
    let open = 0;
    for (const [tag, ends] of html.matchAll(/<(\/?)(?:a|button)\b/g)) {
      open += ends ? -1 : 1;
      expect(open, `${tag} in ${html}`).toBeLessThanOrEqual(1);
    }
  });

  it("is called what nobody can hide in", () => {
    expect(drawn("![a\u202eb](https://a.example/b.png)")).toContain("<bdi>a[U+202E]b</bdi>");
    expect(drawn("![a\u202eb](/here.png)")).toContain("<bdi>a[U+202E]b</bdi>");
  });

  it("leaves other links as they are", () => expect(drawn("[a](https://c.example/d)")).toContain('href="https://c.example/d" target="_blank" rel="noopener noreferrer nofollow">a</a>'));
});
