import { expect, it } from "vitest";
import { countWords, line, loadWords, nodeAbout, nodeName, nodeState, together, took, type NodeInfo } from "../src/ops/nodes";

const node = (more: Partial<NodeInfo>): NodeInfo => ({
  node: "n", state: "serving", heardMs: 0, agents: [], sockets: 0, streams: 0, runs: 0, maxRuns: 1, memoryBytes: 1, storeAvailable: true, storeCalls: 0, storeErrors: 0, ...more,
});

it("adds what nodes do, the latest beside the latest", () => {
  expect(together([], "runs")).toEqual([]);
  expect(together([node({ rates: { runs: [1, 2, 3] } }), node({ rates: { runs: [10] } }), node({})], "runs")).toEqual([1, 2, 13]);
  expect(together([node({ rates: { runs: [1] } }), node({ state: "silent", rates: { runs: [10, 20] } })], "runs")).toEqual([1]);
});

it("says counts and times", () => {
  expect([0, 0.4, 2, 9.94, 10, 1200].map(countWords)).toEqual(["0", "0.4", "2", "9.9", "10", "1,200"]);
  expect([undefined, 0.2, 1, 999, 2_500].map(took)).toEqual(["", "< 1 ms", "1 ms", "999 ms", "2.5 s"]);
});

it("tells nodes of one machine apart as their starts do", () => {
  expect(nodeName({ node: "BKCUABXYZ", host: "vm", pid: 4711 })).toBe("vm 4711");
  expect(nodeName({ node: "BKCUABXYZ", host: "vm" })).toBe("vm BKCUAB");
  expect(nodeName({ node: "" })).toBe("");
});

it("says how it goes with a node", () => {
  expect(nodeState(node({})).tone).toBe("done");
  expect(nodeState(node({ state: "draining" }))).toEqual({ words: "draining", tone: "asked" });
  expect(nodeState(node({ storeAvailable: false }))).toEqual({ words: "no store", tone: "late" });
  expect(nodeState(node({ state: "silent", storeAvailable: false }))).toEqual({ words: "silent", tone: "late" });
});

it("says what is to be done about a node, and how much it does", () => {
  expect(nodeAbout(node({}))).toMatch(/carries runs/);
  expect(nodeAbout(node({ state: "silent", storeAvailable: false }))).toMatch(/lost.*Start another one/);
  expect(nodeAbout(node({ storeAvailable: false }))).toMatch(/Look at the store/);
  expect([loadWords(0, 10_000), loadWords(3, 10_000), loadWords(42, 100), loadWords(1, 0)]).toEqual(["0%", "< 1%", "42%", ""]);
});

it("draws a line within its box", () => {
  expect(line([0, 0], 10, 4)).toBe("0,4 10,4");
  expect(line([0, 2, 1], 10, 4)).toBe("0,4 5,0 10,2");
});
