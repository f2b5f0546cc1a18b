// What is said of a turn that has failed again.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import FailedBefore from "../src/decision/FailedBefore";
import type { Ended } from "../src/decision/record";

const end = (code: string): Ended => ({ key: code, kind: "end", how: "failed", code, message: "out of paper" });

it.each<[string, string[], boolean]>([
  ["where it always fails in the same way", ["agent_error", "agent_error"], true],
  ["where it failed otherwise once", ["run_timeout", "agent_error"], false],
])("says that it fails each time only %s", (_, codes, each) => {
  const said = renderToStaticMarkup(createElement(FailedBefore, { earlier: codes.map(end), code: "agent_error" }));
  expect([/It fails each time/.test(said), /2 earlier failures/.test(said)]).toEqual([each, true]);
});
