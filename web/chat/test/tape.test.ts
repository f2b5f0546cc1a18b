// What crossed the wire, told apart by thread and bounded.

import { expect, it, vi } from "vitest";
import { Tape } from "../src/chat/tape";

function recorder() {
  const tape = new Tape();
  let add!: (sent: boolean, text: string) => void;
  const untap = vi.fn();
  const stop = tape.record({ tap: (tap) => ((add = tap), untap) });
  return { tape, stop, untap, sent: (frame: object) => add(true, JSON.stringify(frame)), came: (frame: object | string) => add(false, typeof frame === "string" ? frame : JSON.stringify(frame)) };
}

it("tells the frames of a thread from those of others", () => {
  const { tape, sent, came, stop, untap } = recorder();
  came({ type: "ws.hello" });
  sent({ threadId: "a", messages: [] });
  sent({ type: "ws.attach", threadId: "b" });
  came({ type: "ws.stream", threadId: "a", seq: 0 });
  came({ type: "RUN_STARTED", threadId: "a" });
  came({ type: "TEXT_MESSAGE_START" });
  came({ type: "ws.stream", threadId: "b", seq: 0 });
  came({ type: "TEXT_MESSAGE_END", delta: '"ws.stream"' });
  came("not JSON");
  expect(tape.frames("a").map(({ type, sent }) => `${sent ? ">" : "<"}${type}`)).toEqual([
    "<ws.hello", ">RunAgentInput", "<ws.stream", "<RUN_STARTED", "<TEXT_MESSAGE_START",
  ]);
  expect(tape.frames("b").map(({ type }) => type)).toEqual(["ws.hello", "ws.attach", "ws.stream", "TEXT_MESSAGE_END"]);
  stop();
  expect(untap).toHaveBeenCalled();
});

it("forgets the oldest, and still knows whose the rest is", () => {
  const { tape, came } = recorder();
  came({ type: "ws.stream", threadId: "a", seq: 0 });
  for (let i = 0; i < 2_000; i++) came({ type: "CUSTOM", value: i });
  expect(tape.frames("a")).toHaveLength(1_000);
  expect(tape.frames("b")).toEqual([]);
  came({ type: "CUSTOM", value: "x".repeat(4 << 20) });
  came({ type: "CUSTOM", value: 1 });
  expect(tape.frames("a").length).toBeLessThanOrEqual(2);
});

it("tells those who watch", () => {
  const { tape, came } = recorder();
  const watcher = vi.fn();
  const unwatch = tape.watch(watcher);
  came({ type: "ws.hello" });
  unwatch();
  came({ type: "ws.hello" });
  expect(watcher).toHaveBeenCalledTimes(1);
});
