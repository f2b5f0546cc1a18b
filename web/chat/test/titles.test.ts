import { expect, it } from "vitest";
import { withTitles } from "../src/ops/titles";
import type { RunInfo } from "../src/server/api";

const run = (namespace: string, title?: string) => ({ id: namespace, execution: namespace, threadId: "t", namespace, title }) as RunInfo;

it("lends a chat's title to runs of it alone, not of a namesake", () => {
  withTitles([run("acme/user/ann", "Ann's")]);
  expect(withTitles([run("acme/user/ann"), run("acme/user/bob")]).map(({ title }) => title)).toEqual(["Ann's", undefined]);
});
