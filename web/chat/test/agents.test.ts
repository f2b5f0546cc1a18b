// Which of several agents a chat is with.

import { afterEach, expect, it, vi } from "vitest";
import { agentFor, agentsFor, learned, type AgentInfo, type Known } from "../src/server/agents";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const named: AgentInfo[] = [{ name: "weather", default: true }, { name: "travel" }];
const unnamed: AgentInfo[] = [{ default: true }, { name: "travel" }];

it.each<[string, AgentInfo[], string, string | undefined, string | undefined]>([
  ["the one that is wanted", named, "travel", "travel", undefined],
  ["the default one by its name", named, "weather", "weather", undefined],
  ["the default one if none is wanted", named, "", "weather", undefined],
  ["the default one that has no name", unnamed, "", undefined, undefined],
  ["the default one in place of one that is gone", named, "tides", "weather", "tides"],
])("is %s", (_, agents, wanted, name, missing) => {
  expect(agentFor(agents, wanted)).toEqual({ agent: agents.find((one) => one.name === name), ...(missing && { missing }) });
});

it("is looked for until the server says it, so that no message goes to another one", async () => {
  vi.useFakeTimers();
  const answers = [() => Promise.reject(new Error("no network")), () => Response.json({ code: "rate" }, { status: 429 }), () => Response.json({}, { status: 503 }), () => Response.json({ items: [] })];
  const asked = vi.fn(async (_: string) => answers[asked.mock.calls.length - 1]!());
  vi.stubGlobal("fetch", asked);
  const learning = learned("/agents");
  await vi.runAllTimersAsync();
  expect(await learning).toEqual({ value: { items: [] } });
  expect(asked).toHaveBeenCalledTimes(4);
});

it.each<[number, object]>([
  [401, { refused: true }],
  [403, {}],
  [404, {}],
])("is not looked for again where the answer is %i", async (status, answer) => {
  const asked = vi.fn(async () => Response.json({}, { status }));
  vi.stubGlobal("fetch", asked);
  expect(await learned("/agents")).toEqual(answer);
  expect(asked).toHaveBeenCalledTimes(1);
});

it("is not looked for again where another page is in its place", async () => {
  const asked = vi.fn(async () => new Response("<p>some other page</p>"));
  vi.stubGlobal("fetch", asked);
  expect(await learned("/agents")).toEqual({});
  expect(asked).toHaveBeenCalledTimes(1);
});

const letIn: Known = { agents: named, refused: false, session: 1, person: 1 };
const refused: Known = { agents: [], refused: true, session: 1, person: 1 };

it.each<[string, Known | undefined, number, number, readonly AgentInfo[] | undefined]>([
  ["unknown before the answer", undefined, 1, 1, undefined],
  ["those of the answer", letIn, 1, 1, named],
  ["the same with a new token of the same person", letIn, 2, 1, named],
  ["unknown for the next person", letIn, 2, 2, undefined],
  ["none while nobody is let in", refused, 1, 1, []],
  ["unknown when somebody signs in after a refusal", refused, 2, 1, undefined],
])("agents are %s", (_, known, session, person, agents) => {
  expect(agentsFor(known, session, person)).toEqual(agents);
});
