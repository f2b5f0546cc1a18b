// What a RUN_STARTED tells of decisions.

import { describe, expect, it } from "vitest";
import { decisionsOf } from "../index";
import { started } from "./fake";

const decided = [{
  interruptId: "i1", toolCallId: "c1", status: "resolved", approved: true, by: "ann", through: "inbox", at: "2030-01-31T14:02:00Z",
  changed: [{ pointer: "/amount", before: 200, after: 150 }],
}];

describe("decisionsOf", () => {
  it("reads them of a run, and of one that is restated", () => {
    expect(decisionsOf(started("r1", { metadata: { aguiws: { decisions: decided } } }))).toEqual(decided);
    expect(decisionsOf(started("r1", { metadata: { aguiws: { restated: true, decisions: decided } } }))).toEqual(decided);
  });

  it.each([
    ["a run that answers nothing", started("r1")],
    ["a server that tells none", started("r1", { metadata: { aguiws: { restated: true } } })],
    ["what is no list", started("r1", { metadata: { aguiws: { decisions: {} } } })],
    ["metadata of others", started("r1", { metadata: { aguiws: null } })],
    ["another event", { type: "RUN_FINISHED", threadId: "t", runId: "r1", metadata: { aguiws: { decisions: decided } } }],
  ])("reads none of %s", (_, event) => {
    expect(decisionsOf(event as Parameters<typeof decisionsOf>[0])).toEqual([]);
  });
});
