// What can be told to whoever runs the server stands beside the last turn that has failed.

import { createElement } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { MessageList } from "../src/chat/MessageList";
import type { Mark } from "../src/decision/record";

// It asks the server who reads.
vi.mock("../src/server/RunReference", () => ({ default: ({ run }: { run?: string }) => `reference of ${run}` }));
vi.stubGlobal("navigator", { languages: ["en"] });

/** The conversation with all its parts loaded. */
function drawn(marks: Mark[], retry: (() => void) | undefined): Promise<string> {
  const messages = [{ id: "u", role: "user" as const, content: "hello" }];
  const list = createElement(MessageList, { messages, interrupts: [], running: false, subagents: new Map(), marks, retry });
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(list, { onAllReady: () => void text(pipe(new PassThrough())).then(resolve), onError: reject });
  });
}

const end = (key: string, how: "failed" | "stopped"): Mark => ({ key, kind: "end", behind: "u", how, code: "error", message: "", run: key });

it.each([
  ["writes", () => {}],
  ["only reads", undefined],
])("whoever %s is told it", async (_, retry) => {
  const html = await drawn([end("first", "failed"), end("second", "failed")], retry);
  expect(html.match(/reference of \w+/g)).toEqual(["reference of second"]);
  expect(html.includes("retry-turn")).toBe(retry !== undefined);
  expect(await drawn([end("one", "stopped")], retry)).not.toContain("reference of");
});
