// Which keys do something in the inbox, and when.

import { expect, it } from "vitest";
import { follower, keyActOf, leadsFirst, neighbour, reach, stepOf, unfit, wayOf } from "../src/inbox/inboxkeys";

const pressed = (key: string, more: object = {}) =>
  keyActOf({ key, ctrlKey: false, metaKey: false, altKey: false, repeat: false, defaultPrevented: false, isComposing: false, target: { tagName: "BODY" } as unknown as EventTarget, ...more });
const on = (tagName: string, more: object = {}) => ({ target: { tagName, ...more } as unknown as EventTarget });

it("knows its keys and no others", () => {
  expect(["j", "k", "a", "d", "e", "u", "x", "o", "A", "D", "?"].map((key) => pressed(key))).toEqual(["next", "previous", "approve", "decline", "edit", "undo", "choose", "chat", "approve chosen", "decline chosen", "keys"]);
  expect(["y", "E", "Enter", "Escape", "constructor"].map((key) => pressed(key))).toEqual(Array(5).fill(undefined));
});

it.each([["a key with Ctrl", { ctrlKey: true }], ["with Meta", { metaKey: true }], ["with Alt", { altKey: true }], ["one that is taken", { defaultPrevented: true }],
  ["one of a word that is composed", { isComposing: true }], ["one typed in a field", on("INPUT", { type: "text" })], ["in a text", on("TEXTAREA")],
  ["in a choice", on("SELECT")], ["in something that is edited", on("DIV", { isContentEditable: true })]])("leaves %s alone", (_, more) => {
  expect(pressed("a", more)).toBeUndefined();
});

it("leaves fields by Escape, and nothing else", () => {
  const from = ["INPUT", "TEXTAREA", "SELECT", "BUTTON"].map((tagName) => pressed("Escape", on(tagName, { type: "text" })));
  expect(from).toEqual(["leave", "leave", "leave", undefined]);
  // What empties an editor, or ends a word, is meant for that.
  expect([pressed("Escape", { ...on("TEXTAREA"), defaultPrevented: true }), pressed("Escape", { ...on("TEXTAREA"), isComposing: true })]).toEqual([undefined, undefined]);
});

it("works from buttons and boxes to tick", () => {
  expect([pressed("a", on("BUTTON")), pressed("j", on("INPUT", { type: "checkbox" }))]).toEqual(["approve", "next"]);
});

it("decides nothing by a key that is held down, and goes on by one", () => {
  expect(["a", "d", "e", "j", "k"].map((key) => pressed(key, { repeat: true }))).toEqual([undefined, undefined, undefined, "next", "previous"]);
});

const list = [{ key: "one", gone: false }, { key: "two", gone: true }, { key: "three", gone: false }];

it.each([["one", 1, "three"], ["three", -1, "one"], ["two", 1, "three"], ["two", -1, "one"], ["three", 1, undefined], ["one", -1, undefined], [undefined, 1, "one"], ["another", -1, "one"]] as const)(
  "goes from %s by %d to %s",
  (from, step, to) => expect(neighbour(list, from, step)).toBe(to),
);

it.each([
  ["what follows", "a-b.c", "b", "c"],
  ["what follows on several that have gone", "a-b-c.d", "b", "d"],
  ["the first open one after the last", "a.b-c", "c", "a"],
  ["others before the same thread again", "a.b", "b", "a"],
  ["what follows on the same thread again", "a.b.c", "b", "c"],
  ["the same thread again where it is alone", "a", "a", "a"],
  ["nothing where nothing is left", "-a", "a", undefined],
  ["the first where it was in a list that is gone", "b.c", "a", "b"],
  ["the first open one where what follows is late", "a.b-c!d", "c", "a"],
  ["nothing where only what is late is left", "-a!b", "a", undefined],
  ["what is late after what is late", "a-!b!c", "b", "c"],
] as const)("after an answer comes %s", (_, shown, from, to) => {
  const rows = [...shown.matchAll(/(-?)(!?)([a-z])/g)].map(([, gone, late, key]) => ({ key: key!, gone: gone === "-", late: late === "!" }));
  expect(follower(rows, from)).toBe(to);
});

it("goes through a list by the arrows alone", () => {
  const step = (key: string, more: object = {}) => stepOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  expect([step("ArrowDown"), step("ArrowUp"), step("j"), step("ArrowDown", { shiftKey: true }), step("ArrowUp", { metaKey: true })]).toEqual([1, -1, undefined, undefined, undefined]);
});

const room = { top: 60, bottom: 500 };

it.each([
  ["what is in sight", 100, 400, 0],
  ["what is just in sight", 60, 500, 0],
  ["what is beneath the bar", 20, 300, -48],
  ["what is beneath the foot", 300, 560, 68],
  ["what has just room", 50, 490, -10],
  ["what is larger and ends in sight", -300, 450, 0],
  ["what is larger and ends below", 80, 700, 208],
  ["what is larger and ends above", -900, 100, -392],
] as const)("scrolls to %s: %d to %d by %d", (_, top, bottom, by) => expect(reach(room, { top, bottom })).toBe(by));

it.each<[Parameters<typeof wayOf>[0], boolean, ReturnType<typeof wayOf>]>([
  ["approve", true, "approve"], ["decline", true, "decline"], ["approve", false, undefined], ["decline", false, undefined],
  ["approve chosen", false, "approve"], ["decline chosen", true, "decline"], ["edit", true, undefined],
])("takes %s with a selection (%s) for all of it", (act, some, want) => expect(wayOf(act, some)).toBe(want));

it.each([
  ["of what has expired", "approve", { expired: true, fields: true }, "late"],
  ["of a call whose arguments stay", "edit", { approves: true, fields: true }, "edit"],
  ["of a call that is locked", "approve", { approves: true, fields: true }, "locked"],
  ["of a call that is locked", "decline", { approves: true }, "locked"],
  ["while arguments are edited", "approve", { edits: true, fields: true }, "edited"],
  ["while arguments are edited", "decline", { edits: true, fields: true }, "edited"],
  ["of a choice", "approve", { choices: true, fields: true }, "choose"],
  ["of a form", "approve", { fields: true }, "fill"],
  ["of a sign-in", "approve", {}, "plain"],
] as const)("says why a key does nothing %s: %s", (_, act, has, want) => expect(unfit(act, { expired: false, approves: false, edits: false, choices: false, fields: false, ...has })).toBe(want));

it("asks twice about what cannot be undone, once its button has the focus", () => {
  expect([leadsFirst(true, false), leadsFirst(true, true), leadsFirst(false, false)]).toEqual([true, false, false]);
});
