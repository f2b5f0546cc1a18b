// Which of several agents a chat is with.

import { afterEach, expect, it, vi } from "vitest";
import { agentFor, learned, type AgentInfo } from "../src/server/agents";

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
