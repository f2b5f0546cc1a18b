// What agents' Markdown looks like, in both themes and on a phone.

import assert from "node:assert/strict";
import { barriers, embedded, person, PHONE, Tab, test, until } from "./lane.mjs";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CODE = 'func main() {\n\t// says hello\n\tfmt.Println("hello", 42)\n}';
/** How many formulas are in the text, one of them of a command that there is not. */
const MATHS = 3;
const TEXT = `# First

Some words with \\(E = mc^2\\) in them, for $5 and $10.

## Second

$$
\\int_0^1 x^2\\,dx = \\frac{1}{3}
$$

What cannot be read: \\(\\nothing\\).

שלום (עולם)!

- שלום

### Third

\`\`\`go
${CODE}
\`\`\`

| Account | Quarter | Booked on | Revenue, in € | Change | Note |
|:--|--:|--|--:|--:|--|
| Everything that was sold abroad | Q1 2026 | 2026-03-31 | 1 234 567.89 | -12.5 % | restated_after_the_audit_of_the_year |
| Services | Q2 2026 | 2026-06-30 | 9007199254740993 | +3.25 % | none |

![a dot](data:image/png;base64,${DOT}) and ![a spy](https://example.org/spy.png)
`;

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}: headings, code, formulas and tables look like what they are, on a phone too`, async () => {
    const context = await person({ colorScheme, viewport: { width: PHONE, height: 844 }, permissions: ["clipboard-read", "clipboard-write"] });
    const tab = await Tab.open(context, embedded);
    const fetched = [];
    tab.page.on("request", (request) => fetched.push(request.url()));
    await tab.say("/say nothing of that kind");
    await tab.says("nothing of that kind");
    await tab.rest();
    const parts = () => fetched.filter((url) => /\/(colours|maths)-/.test(url)).length;
    assert.equal(parts(), 0, "neither colours nor maths are loaded for a text without");
    await tab.say(`/say ${TEXT}`);
    const answer = tab.page.locator('[data-role="assistant"]').last();
    await answer.locator("math").nth(1).waitFor();
    await answer.locator("code[data-coloured]").waitFor();
    await tab.rest();
    assert.equal(parts(), 2);
    const sizes = await answer.locator(".heading").evaluateAll((all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize)));
    assert.ok(sizes.length === 3 && sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[2] > 16, String(sizes));
    const colours = await answer.locator("pre code span").evaluateAll((all) => new Set(all.map((one) => getComputedStyle(one).color)).size);
    assert.ok(colours >= 4, `${colours} colours`);
    assert.equal(await answer.locator("math").count(), MATHS, "what costs dollars is no formula");
    for (const line of ["p", "li"]) {
      const from = await answer.locator(line).filter({ hasText: "שלום" }).evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return [box.right - text.right, text.left - box.left].map(Math.round);
      });
      assert.ok(from[0] <= 1 && from[1] > 50, `${line}: what is read from the right begins there: ${from}`);
    }
    assert.match(await answer.locator("p").filter({ hasText: "Some words" }).textContent(), /for \$5 and \$10\./);
    const table = await answer.locator(".scroll").evaluate((box) => {
      const lines = [...box.querySelectorAll(".figures")].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return [cell.textContent, new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size];
      });
      return { lines, scrolls: box.scrollWidth > box.clientWidth, page: document.documentElement.scrollWidth };
    });
    assert.deepEqual(table, {
      lines: ["Q1 2026", "2026-03-31", "1 234 567.89", "-12.5 %", "Q2 2026", "2026-06-30", "9007199254740993", "+3.25 %"]
        .filter((text) => /^[\d+-]/.test(text)).map((text) => [text, 1]),
      scrolls: true, page: PHONE,
    });
    await answer.getByTestId("copy-code").click();
    await until(async () => (await answer.locator('.code-block [role="status"]').textContent()) === "Copied", "it is said");
    assert.equal(await answer.locator("button [role=status]").count(), 0);
    await until(async () => (await tab.page.evaluate(() => navigator.clipboard.readText())) === CODE, "the code is copied as it is");
    await answer.hover();
    await answer.getByTestId("copy-message").click();
    await until(async () => (await tab.page.evaluate(() => navigator.clipboard.readText())) === TEXT.trim(), "and so is the answer");
    await tab.shot(`85-markdown-${colorScheme}`);
    assert.deepEqual(await barriers(tab.page), []);
    assert.equal(await answer.locator("img").count(), 0, "no picture is shown before somebody asks");
    await answer.getByTestId("show-picture").click();
    await until(() => answer.getByTestId("picture").evaluate((image) => image.complete && image.naturalWidth === 1), "the picture is shown");
    assert.equal(await answer.getByTestId("open-picture").getAttribute("href"), "https://example.org/spy.png");
    assert.ok(!fetched.some((url) => url.includes("example.org")), "nothing is asked of others");
    await answer.locator(".heading").first().scrollIntoViewIfNeeded();
    await tab.shot(`86-markdown-${colorScheme}`);
  });
}

test("what stands deep in something else widens no page, and what is too much is shown as it was written", async () => {
  const tab = await Tab.open(await person({ viewport: { width: PHONE, height: 844 } }), embedded);
  const room = () => tab.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const deep = "> > > > > - - - - - - words that go on and on";
  for (const text of [deep, `${">".repeat(60)} deeper`, `${"> ".repeat(400)}deepest`]) {
    await tab.say(`/say ${text}`);
    await tab.rest();
    await until(async () => (await tab.page.locator(".markdown").last().innerText()).trim().endsWith(text.split(/[>-] ?/).at(-1).trim()), "it is read");
    assert.equal(await room(), 0, text.slice(0, 20));
  }
  await tab.shot("137-deep-narrow");
  assert.equal(await tab.at("not-drawn").filter({ visible: true }).count(), 2);
  await tab.say(`/say ${"*a_ ".repeat(15_000)}`);
  await until(async () => (await tab.at("not-drawn").count()) === 3, "it is shown as it was written");
  assert.equal(await room(), 0);
});
