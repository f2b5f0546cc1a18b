// Where a chat stands among others.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { ThreadInfo } from "../src/server/api";
import { ThreadPlace } from "../src/threads/ThreadPlace";

const place = (of: Partial<ThreadInfo>) =>
  renderToStaticMarkup(createElement(ThreadPlace, { listed: [], thread: { threadId: "t", title: "", updatedAt: "", active: false, waiting: false, queued: 0, ...of } }));

it.each([
  [{}, ""],
  [{ waitsFor: ["a"], waitsForCount: 1 }, "A part waits for you"],
  [{ waitsFor: ["a", "b"], waitsForCount: 57 }, "57 parts wait for you"],
  [{ waitsFor: ["a", "b"] }, "2 parts wait for you"],
  [{ parentThreadId: "p" }, "Part of another chat"],
])("of %j it says %j", (of, says) => {
  const text = place(of).replace(/<[^>]*>/g, "");
  expect(text).toBe(says);
});
