// What is said of a turn that has failed again.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { failsAlike } from "../src/chat/ErrorNotice";
import FailedBefore from "../src/decision/FailedBefore";
import type { Ended } from "../src/decision/record";

const end = (code: string): Ended => ({ key: code, kind: "end", how: "failed", code, message: "out of paper" });

it.each<[string, string[], boolean]>([
  ["always fails in the same way", ["agent_error", "agent_error"], true],
  ["failed otherwise once", ["run_timeout", "agent_error"], false],
  ["has not failed before", [], false],
])("knows a turn that %s", (_, codes, alike) => expect(failsAlike(codes.map(end), "agent_error")).toBe(alike));

it.each([true, false])("says how it failed before, and what else can be done if it is the same each time: %s", (same) => {
  const said = renderToStaticMarkup(createElement(FailedBefore, { earlier: ["agent_error", "agent_error"].map(end), same }));
  expect([/It fails each time/.test(said), /2 earlier failures/.test(said)]).toEqual([same, true]);
});
