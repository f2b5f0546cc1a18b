// What a person signs in with is there when they are refused.

import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock("../src/server/SignIn");
});

it.each([
  [401, 1],
  [200, 0],
])("is loaded as soon as the server has refused to say who they are: %i", async (status, times) => {
  vi.resetModules();
  const loaded = vi.fn(() => ({ default: () => null }));
  vi.doMock("../src/server/SignIn", loaded);
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("fetch", async () => new Response("{}", { status }));
  await (await import("../src/server/who")).look();
  await vi.dynamicImportSettled();
  expect(loaded).toHaveBeenCalledTimes(times);
});
