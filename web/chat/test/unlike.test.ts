import { expect, it } from "vitest";
import { kindsOf, type Asked } from "../src/inbox/unlike";

const asked = (name: string | undefined, args: object | string = {}, user = "bob", agent = "script"): Asked => ({
  item: { user, agent },
  one: { toolCall: name === undefined ? undefined : { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } },
});

/** Each kind in a line: its tool, who asks, and the places of its questions in `all`, with what is unlike in them. */
const told = (...all: Asked[]) =>
  kindsOf(all).map(({ tool = "", user = "?", asked }) =>
    [tool, user, ...asked.map(({ asked, unlike }) => [all.indexOf(asked), ...(unlike?.args.map((name = "all") => name) ?? []), unlike?.user && "by", unlike?.agent && "agent"].filter((one) => one !== undefined && one !== false).join(" "))].join(" | "),
  );

it("puts what there are fewest of first", () =>
  expect(told(asked("send"), asked("send"), asked("pay"), asked(undefined), asked(undefined), asked(undefined))).toEqual(["pay | bob | 2", "send | bob | 0 | 1", " | bob | 3 | 4 | 5"]));

it.each<[string, Asked[], string]>([
  ["another value", [{ to: 1, s: "hi" }, { to: 2, s: "hi" }, { to: 3, s: "pay me" }].map((args) => asked("send", args)), "2 s | 0 | 1"],
  ["one more, and one less", [{ a: 1 }, { a: 1, b: 2 }, { a: 1 }, {}].map((args) => asked("send", args)), "1 b | 3 a | 0 | 2"],
  ["a value within", [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, { a: [{ b: 2 }] }].map((args) => asked("send", args)), "2 a | 0 | 1"],
  ["numbers that doubles do not tell apart", ["9007199254740993", "9007199254740993", "9007199254740992"].map((n) => asked("send", `{"n":${n}}`)), "2 n | 0 | 1"],
  ["no value where each has its own", [{ a: 1 }, { a: 2 }, { a: 3 }].map((args) => asked("send", args)), "0 | 1 | 2"],
  ["neither of two", [{ a: 1 }, { a: 2 }].map((args) => asked("send", args)), "0 | 1"],
  ["neither half", [{ a: 1 }, { a: 1 }, { a: 2 }, { a: 2 }].map((args) => asked("send", args)), "0 | 1 | 2 | 3"],
  ["what is no object", ["[1]", "[1]", "[1]", "[900]"].map((args) => asked("send", args)), "3 all | 0 | 1 | 2"],
  ["what is named twice", ['{"a":1}', '{"a":99,"a":1}', '{"a":1}'].map((args) => asked("send", args)), "1 a all | 0 | 2"],
  ["another agent", [asked("send"), asked("send"), asked("send", {}, "bob", "other")], "2 agent | 0 | 1"],
])("tells %s", (_, all, want) => expect(told(...all)).toEqual([`send | bob | ${want}`]));

it("tells another person, whom the kind does not name", () => expect(told(asked("send"), asked("send", {}, "eve"), asked("send"))).toEqual(["send | ? | 1 by | 0 | 2"]));

it.each<[string, Array<object | string>, string | undefined, Array<string | undefined>]>([
  ["what differs in each", [{ to: 1, s: "hi" }, { to: 2, s: "hi" }], '{"s":"hi"}', ['{"to":1}', '{"to":2}']],
  ["what one has besides", [{ a: 1 }, { a: 1, b: 2 }], '{"a":1}', [undefined, '{"b":2}']],
  ["all of a single one", [{ a: 1 }], undefined, ['{"a":1}']],
  ["nothing where all is the same", [{ a: 1 }, { a: 1 }], '{"a":1}', [undefined, undefined]],
  ["that there is nothing", ["", "{}"], undefined, ["{}", "{}"]],
  ["all where one is no object", [{ "": 1 }, "1"], undefined, ['{"":1}', "1"]],
  ["nothing where what is no object is the same", ["[1]", "[1]"], "[1]", [undefined, undefined]],
  ["all where one names something twice", ['{"a":99,"a":1}', { a: 1 }], undefined, ['{"a":99,"a":1}', '{"a":1}']],
  ["numbers as they are written", ['{"n":1.0,"m":1e400}', '{"n":1.0,"m":2}'], '{"n":1.0}', ['{"m":1e400}', '{"m":2}']],
])("says what is the same once, and %s", (_, all, same, own) => {
  const questions = all.map((args) => asked("send", args));
  const [kind] = kindsOf(questions);
  expect([kind!.same, questions.map((one) => kind!.asked.find(({ asked }) => asked === one)!.args)]).toEqual([same, own]);
});
