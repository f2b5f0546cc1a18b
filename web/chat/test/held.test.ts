// Messages that are read page by page.

import type { Message } from "@ag-ui/client";
import { expect, it } from "vitest";
import { withEarlier, withLast, type MessagePage } from "../src/chat/held";

/** Messages by the numbers that they stand at. */
const page = (from: number, to: number, mark = ""): MessagePage => ({
  items: Array.from({ length: to - from + 1 }, (_, i): Message => ({ id: `${from + i}${mark}`, role: "user", content: "" })),
  sequence: from, older: from - 1, ...(from > 1 && { before: `b${from}` }),
});
const ids = ({ items, older, before }: MessagePage) => `${items.map(({ id }) => id).join(" ")} after ${older}, ${before}`;
const none: MessagePage = { items: [] };

it.each([
  ["nothing before", none, page(4, 6), "4 5 6 after 3, b4"],
  ["the same", page(4, 6), page(4, 6, "'"), "4' 5' 6' after 3, b4"],
  ["more", page(4, 6), page(6, 8, "'"), "4 5 6' 7' 8' after 3, b4"],
  ["what follows at once", page(4, 6), page(7, 9), "4 5 6 7 8 9 after 3, b4"],
  ["what follows behind a gap", page(4, 6), page(8, 9), "8 9 after 7, b8"],
  ["some taken out", page(1, 6), page(3, 4, "'"), "1 2 3' 4' after 0, undefined"],
  ["more taken out than is held", page(4, 6), page(1, 2), "1 2 after 0, undefined"],
  ["all taken out", page(4, 6), none, " after undefined, undefined"],
])("reads the last anew: %s", (_, held, last, want) => expect(ids(withLast(held, last))).toBe(want));

it.each([
  ["the page before", page(1, 3), "1 2 3 4 5 6 after 0, undefined"],
  ["one that ends elsewhere by now", page(1, 2), "4 5 6 after 3, b4"],
  ["an empty one", none, "4 5 6 after 3, b4"],
])("goes back: %s", (_, earlier, want) => expect(ids(withEarlier(page(4, 6), earlier))).toBe(want));
