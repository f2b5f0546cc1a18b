// What a RUN_STARTED tells of decisions.

import { describe, expect, it } from "vitest";
import { decisionsOf } from "../index";
import { started } from "./fake";

const decided = [{
  interruptId: "i1", toolCallId: "c1", status: "resolved", approved: true, by: "ann", through: "inbox", at: "2030-01-31T14:02:00Z",
  changed: [{ pointer: "/amount", before: 200, after: 150 }],
}];

type Event = Parameters<typeof decisionsOf>[0];

const event = (aguiws: unknown) => started("r1", { metadata: { aguiws } }) as unknown as Event;

describe("decisionsOf", () => {
  it("reads them of a run, and of one that is restated", () => {
    expect(decisionsOf(event({ decisions: decided }))).toEqual(decided);
    expect(decisionsOf(event({ restated: true, decisions: decided }))).toEqual(decided);
  });

  it.each([
    ["a run that answers nothing", started("r1")],
    ["a server that tells none", event({ restated: true })],
    ["what is no list", event({ decisions: {} })],
    ["metadata of others", event(null)],
    ["another event", { type: "RUN_FINISHED", threadId: "t", runId: "r1", metadata: { aguiws: { decisions: decided } } }],
  ])("reads none of %s", (_, one) => {
    expect(decisionsOf(one as Event)).toEqual([]);
  });
});
