// What chats are called: the server's test reads the same cases.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { titleOf } from "../src/chat/title";

const cases: Array<{ text: string; files?: string[]; title: string }> = JSON.parse(
  readFileSync(new URL("../../../adapter/internal/admit/testdata/titles.json", import.meta.url), "utf8"),
);

it("is there a table of cases", () => expect(cases.length).toBeGreaterThan(20));

it.each(cases)("calls $text $files $title", ({ text, files, title }) => {
  const media = (files ?? []).map((filename) => ({ type: "document" as const, source: { type: "data" as const, value: "", mimeType: "" }, metadata: { filename } }));
  expect(titleOf([{ id: "a", role: "user", content: [{ type: "text", text }, ...media] }])).toBe(title || undefined);
});

it("is what the first message says that says something", () => {
  expect(titleOf([])).toBeUndefined();
  expect(titleOf([{ id: "a", role: "assistant", content: "Hi" }, { id: "b", role: "user", content: '{"a":1}' }, { id: "c", role: "user", content: "Go on." }])).toBe("Go on");
  expect(titleOf([{ id: "a", role: "user", content: "/form" }, { id: "b", role: "user", content: "/steps 5" }, { id: "c", role: "user", content: "Go on." }])).toBe("Go on");
});
