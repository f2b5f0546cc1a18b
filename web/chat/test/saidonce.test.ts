import { describe, expect, it } from "vitest";
import { argsBeside, resultBeside } from "../src/decision/saidonce";

const args = '{"to":"ada@example.com","number":9007199254740993}';

describe("an opened call", () => {
  it.each([
    ["that echoes its arguments", `{"executed":true,"args":${args}}`, undefined],
    ["that names its arguments again", '{"executed":true,"to":"ada@example.com","id":"m-1"}', '{"id":"m-1"}'],
    ["whose number differs from its argument", '{"number":9007199254740992}', '{"number":9007199254740992}'],
    ["that says why it was declined, as its line does", '{"executed":false,"declined":true,"reason":"too late"}', undefined],
    ["that says another reason", '{"executed":false,"reason":"no such address"}', '{"reason":"no such address"}'],
    ["whose member is called as an outcome, of another tool", '{"expired":true}', '{"expired":true}'],
    ["that names a member twice", '{"to":"ada@example.com","to":"bob@example.com"}', '{"to":"ada@example.com","to":"bob@example.com"}'],
    ["in words", "Sent.", "Sent."],
  ])("shows of a result %s what is new", (_, result, more) => {
    expect(resultBeside(result, args, "too late")).toBe(more);
  });

  it("leaves the arguments out of which the edits tell", () => {
    expect(argsBeside(args, [{ pointer: "/to", before: "bob@example.com", after: "ada@example.com" }])).toBe('{"number":9007199254740993}');
    expect(argsBeside(args, [{ pointer: "/to/0", before: "bob", after: "ada" }])).toBe(args);
    expect(argsBeside('{"cc":["eve"]}', [{ pointer: "/cc", before: ["ann"], after: ["eve"] }])).toBe('{"cc":["eve"]}');
    expect(argsBeside(args)).toBe(args);
  });
});
