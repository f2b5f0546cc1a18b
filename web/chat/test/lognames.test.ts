// Names of subagents, found in a log.

import { afterEach, expect, it, vi } from "vitest";
import { namesInLog } from "../src/log/lognames";

afterEach(() => void vi.unstubAllGlobals());

const event = (seq: number, more: object) => `id: E:${seq}\ndata: ${JSON.stringify(more)}\n\n`;
const started = (subagentRunId: unknown, name: unknown) => ({ type: "SUBAGENT_STARTED", subagentRunId, name });

/** A server whose log comes in pieces of so many characters, and never ends by itself. */
function serves(text: string, { status = 200, recovered = "true", piece = 7 } = {}) {
  const cancelled = vi.fn();
  const pieces = text.match(new RegExp(`[^]{1,${piece}}`, "g")) ?? [];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = pieces.shift();
      if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
    },
    cancel: cancelled,
  });
  const fetch = vi.fn(async () => new Response(body, { status, headers: { "Aguiws-Recovered": recovered } }));
  vi.stubGlobal("fetch", fetch);
  return { fetch, cancelled };
}

it("are read up to the position, and no further", async () => {
  const { fetch, cancelled } = serves(
    event(1, { type: "RUN_STARTED" }) + event(2, started("s1", "helper")) + event(3, { type: "TEXT_MESSAGE_CONTENT", delta: '"SUBAGENT_STARTED"' }) +
      event(4, started("s2", 7)) + event(5, started("s3", "checker \u{1F50D}")) + event(6, {}) + event(7, {}),
  );
  expect([...(await namesInLog("a/b", { epoch: "E", seq: 6 }))]).toEqual([["s1", "helper"], ["s3", "checker \u{1F50D}"]]);
  expect(fetch).toHaveBeenCalledWith("/agui/threads/a%2Fb/events?after=E%3A0", { headers: {} });
  expect(cancelled).toHaveBeenCalled();
});

it.each([
  ["a log without its beginning", { recovered: "false" }],
  ["a server without logs", { status: 404 }],
])("are not there in %s", async (_, how) => {
  const { cancelled } = serves(event(1, started("s1", "helper")), how);
  expect([...(await namesInLog("t", { epoch: "E", seq: 9 }))]).toEqual([]);
  expect(cancelled).toHaveBeenCalled();
});

it("are those found so far where the rest cannot be read", async () => {
  serves(event(1, started("s1", "helper")) + "data: {\"SUBAGENT_STARTED\"\n\n" + event(3, started("s3", "late")));
  expect([...(await namesInLog("t", { epoch: "E", seq: 9 }))]).toEqual([["s1", "helper"]]);
  vi.stubGlobal("fetch", () => Promise.reject(new Error("away")));
  expect([...(await namesInLog("t", { epoch: "E", seq: 9 }))]).toEqual([]);
});
