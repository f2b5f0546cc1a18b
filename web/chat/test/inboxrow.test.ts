// What a row of the inbox takes back.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { InboxRow } from "../src/inbox/InboxRow";
import type { InboxItem } from "../src/server/api";

it.each([
  ["its own answer", 1, "Pay: approved", 'aria-label="Undo: Pay: approved"'],
  ["all that was answered with it, and says so", 12, "12 approved", 'aria-label="Undo 12: 12 approved"'],
])("takes back %s", (_, count, text, name) => {
  const item = { threadId: "t", namespace: "n", title: "", runId: "r", interrupts: [] } as unknown as InboxItem;
  const nothing = () => {};
  const row = createElement(InboxRow, {
    item, columns: [], gone: true, said: "Pay: approved", waits: true, undo: { text, count, act: nothing }, others: true, leave: nothing,
    picked: false, pick: nothing, refused: false, sayBarred: nothing, taken: false, reviewers: [], passed: false,
  });
  expect(renderToStaticMarkup(row)).toContain(name);
});
