// What is offered while a command is written.

import { expect, it } from "vitest";
import { commandsFor, commandsOf, firstFor } from "../src/chat/commands";

const offered = (text: string) => commandsFor(text, commandsOf({ type: "aguiws:script" })).map(([command]) => command.split(" ")[0]);

it("offers the commands of the built-in agent that begin as what is written, until its first word is over", () => {
  expect(offered("/s")).toEqual(["/say", "/slow", "/state"]);
  expect(offered("/SLO")).toEqual(["/slow"]);
  expect(offered("/").length).toBeGreaterThan(10);
  for (const text of ["", "say", " /s", "/say ", "/say /s", "/nothing"]) expect(offered(text)).toEqual([]);
  expect(commandsOf({ type: "other" })).toEqual([]);
  expect(commandsOf(undefined)).toEqual([]);
});

it("takes the first that is offered, and none for what is a command already", () => {
  const first = (text: string) => firstFor(text, commandsFor(text, commandsOf({ type: "aguiws:script" })));
  expect(["/", "/fo", "/S", "/SAY"].map(first)).toEqual([0, 0, 0, 0]);
  expect(["/form", "/tool", "/nothing", ""].map(first)).toEqual([-1, -1, -1, -1]);
});
