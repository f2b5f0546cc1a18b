// Who the page is to the server, one after another.

import { afterEach, expect, it, vi } from "vitest";
import { bearer, credential, signIn, whenOver } from "../src/session";

afterEach(() => signIn(undefined));

it("has a credential of its own for each session, and none where nobody is signed in", () => {
  expect(credential()).toBeUndefined();
  signIn("ann");
  const anns = credential()!;
  expect([bearer(), anns()]).toEqual(["ann", "ann"]);
  expect(credential()).toBe(anns);
  signIn("bob");
  expect(credential()).not.toBe(anns);
  expect(credential()!()).toBe("bob");
  signIn("bob");
  expect(credential()!()).toBe("bob");
  signIn(undefined);
  expect([bearer(), credential()]).toEqual([undefined, undefined]);
});

it("gives away no token of a session that is over", () => {
  signIn("ann");
  const anns = credential()!;
  signIn("bob");
  expect(anns).toThrow(/signed out/);
});

it("tells the end of a session once, to whoever wants to know it", () => {
  const end = vi.fn();
  signIn("ann");
  whenOver(end);
  whenOver(end);
  expect(end).not.toHaveBeenCalled();
  signIn(undefined);
  expect(end).toHaveBeenCalledTimes(1);
  signIn("bob");
  expect(end).toHaveBeenCalledTimes(1);
});
