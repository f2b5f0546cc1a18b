// Events that come in pieces.

import { expect, it } from "vitest";
import { Blocks } from "../src/server/sse";

const TEXT = 'id: 1-0\ndata: {"items":[]}\n\n: keep-alive\n\nid: 2-0\n\nevent: x\r\ndata:a\r\ndata: b\r\nretry\r\n\r\ndata: not whole';
const WHOLE = [{ id: "1-0", data: '{"items":[]}' }, { id: "2-0" }, { data: "a\nb" }];

it.each([1, 2, 3, 7, TEXT.length])("reads what comes in pieces of %d", (size) => {
  const blocks = new Blocks();
  const read = [];
  for (let at = 0; at < TEXT.length; at += size) read.push(...blocks.take(TEXT.slice(at, at + size)));
  expect(read).toEqual(WHOLE);
  expect(blocks.take(" yet\n\n")).toEqual([{ data: "not whole yet" }]);
});
