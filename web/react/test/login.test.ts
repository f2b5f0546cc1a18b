import { expect, test } from "vitest";
import { loginOf } from "../decision/LoginBody";

const asked = (url: unknown, more: object = {}) => ({
  id: "i-1",
  reason: "aguiws:auth_required",
  metadata: { authorizeUrl: url, provider: "git", providerTitle: "Git" },
  ...more,
});

test("a login is one that begins at a server's own address, for this question", () => {
  expect(loginOf(asked("https://chat.example/login/a%2Fb/i-1"))).toEqual({
    url: "https://chat.example/login/a%2Fb/i-1",
    title: "Git",
    path: "/threads/a%2Fb/interrupts/i-1/login",
  });
  for (const url of [
    "https://chat.example/login/t/another",
    "https://chat.example/login/t/i-1?x",
    "https://chat.example/elsewhere/t/i-1",
    "javascript:alert(1)//h/login/t/i-1",
    "/login/t/i-1",
    7,
    undefined,
  ]) {
    expect(loginOf(asked(url)), String(url)).toBeUndefined();
  }
  expect(loginOf(asked("https://chat.example/login/t/i-1", { reason: "confirmation" }))).toBeUndefined();
  expect(loginOf(asked("https://chat.example/login/t/i-1", { metadata: undefined }))).toBeUndefined();
});
