import type { Message } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import { BEGIN, editable, lastTurn, placed, type Branch } from "../src/chat/back";

const user = (id: string): Message => ({ id, role: "user", content: id });
const answer = (id: string): Message => ({ id, role: "assistant", content: id });
const result = (id: string): Message => ({ id, role: "tool", toolCallId: "c", content: "done" });
const branch = (id: string, after?: string): Branch => ({ id, after, at: "2026-01-02T03:04:05Z", messages: 2, kept: true });
const shown = (at: ReadonlyMap<string, readonly Branch[]>) => [...at].map(([place, list]) => [place, list.map(({ id }) => id).join(" ")]);

describe("branches stand", () => {
  const messages = [user("u"), answer("a"), result("r"), user("v")];
  it("behind the message they stood behind, or the one that shows it", () => {
    expect(shown(placed([branch("b2", "u"), branch("b1", "u"), branch("b3", "r")], messages, true))).toEqual([
      ["u", "b2 b1"],
      ["a", "b3"],
    ]);
  });
  it("at the beginning only where that is held", () => {
    expect(shown(placed([branch("b")], messages, true))).toEqual([[BEGIN, "b"]]);
    expect(shown(placed([branch("b")], messages, false))).toEqual([]);
  });
  it("nowhere behind what is not held or is in a branch itself", () => {
    expect(shown(placed([branch("b", "gone")], messages, true))).toEqual([]);
  });
});

describe("what is answered anew", () => {
  it("is what the user has said last, with all that followed", () => {
    expect(lastTurn([user("u"), answer("a"), user("v"), answer("b"), result("r"), answer("c")])).toEqual({ asked: "v", answer: "c" });
    expect(lastTurn([user("u"), answer("a"), user("v")])).toEqual({ asked: "v", answer: undefined });
    expect(lastTurn([answer("a")])).toEqual({});
  });
});

it("changes texts only: what else a message has would be lost", () => {
  expect(editable(user("u"))).toBe(true);
  expect(editable(answer("a"))).toBe(false);
  expect(editable({ id: "p", role: "user", content: [{ type: "text", text: "x" }] })).toBe(false);
});
