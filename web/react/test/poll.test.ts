// How often the page asks, and when it does not.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { poll } from "../control/poll";

class Page extends EventTarget {
  hidden = false;

  show(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** Answers that come when the test says so. */
function server() {
  const waiting: Array<(answer?: "same") => void> = [];
  const ask = vi.fn(() => new Promise<"same" | void>((resolve) => waiting.push(resolve)));
  return { ask, answer: (answer?: "same") => vi.waitFor(() => waiting.shift()!(answer)) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("asks again some time after each answer, until it is ended", async () => {
  const { ask, answer } = server();
  const { end } = poll(ask, 1_000, new Page());
  await vi.advanceTimersByTimeAsync(500);
  expect(ask).toHaveBeenCalledTimes(1);
  await answer();
  await vi.advanceTimersByTimeAsync(999);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(2);
  end();
  await answer();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("has one call under way, however often the page is looked at", async () => {
  const { ask, answer } = server();
  const page = new Page();
  const { end } = poll(ask, 1_000, page);
  for (let i = 0; i < 5; i++) {
    page.show(true);
    page.show(false);
  }
  expect(ask).toHaveBeenCalledTimes(1);
  await answer();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ask).toHaveBeenCalledTimes(2);
  await answer();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ask).toHaveBeenCalledTimes(3);
  end();
});

it("asks nothing out of sight, and at once in sight again", async () => {
  const { ask, answer } = server();
  const page = new Page();
  const { end } = poll(ask, 1_000, page);
  page.show(true);
  await answer();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ask).toHaveBeenCalledTimes(1);
  page.show(false);
  expect(ask).toHaveBeenCalledTimes(2);
  end();
  page.show(false);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("asks more seldom for what stays the same, and as often as before when it changes or is looked at", async () => {
  const { ask, answer } = server();
  const page = new Page();
  const { end } = poll(ask, 1_000, page);
  const next = async (ms: number) => {
    const calls = ask.mock.calls.length;
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(ask).toHaveBeenCalledTimes(calls);
    await vi.advanceTimersByTimeAsync(1);
    expect(ask).toHaveBeenCalledTimes(calls + 1);
  };
  for (const wait of [1_500, 2_250, 3_375, 4_000, 4_000]) {
    await answer("same");
    await next(wait);
  }
  await answer();
  await next(1_000);
  await answer("same");
  await next(1_500);
  await answer("same");
  page.show(true);
  page.show(false);
  await answer("same");
  await next(1_500);
  end();
});

it.each([[3_000, 3_000], [60_000, 4_000], [10, 1_000]])("rests as long as an answer took, within bounds: %d ms", async (took, rest) => {
  const ask = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, took)));
  const { end } = poll(ask, 1_000, new Page());
  await vi.advanceTimersByTimeAsync(took + rest - 1);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(2);
  end();
});

it("asks soon after news, once for all of it, and once more for what came meanwhile", async () => {
  const { ask, answer } = server();
  const { soon, end } = poll(ask, 60_000, new Page());
  await answer();
  await vi.advanceTimersByTimeAsync(10_000);
  for (let i = 0; i < 100; i++) soon();
  await vi.advanceTimersByTimeAsync(99);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ask).toHaveBeenCalledTimes(2);
  for (let i = 0; i < 100; i++) soon();
  await answer();
  await vi.advanceTimersByTimeAsync(350);
  expect(ask).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(150);
  expect(ask).toHaveBeenCalledTimes(3);
  await answer();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(ask).toHaveBeenCalledTimes(3);
  end();
  soon();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(3);
});

it("asks more seldom for news that changes nothing, and not while out of sight", async () => {
  const page = new Page();
  const ask = vi.fn(async () => "same" as const);
  const { soon, end } = poll(ask, 60_000, page);
  for (let ms = 0; ms < 30_000; ms += 50) {
    soon();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(ask.mock.calls.length).toBeLessThan(12);
  page.show(true);
  const calls = ask.mock.calls.length;
  soon();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(ask).toHaveBeenCalledTimes(calls);
  end();
});

it("asks as often as it must while news comes, though nothing changes, and more and more seldom otherwise", async () => {
  let steady: number | undefined = 60_000;
  const ask = vi.fn(async () => "same" as const);
  const { end } = poll(ask, 1_000, new Page(), () => steady);
  const next = async (ms: number) => {
    ask.mockClear();
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(ask).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ask).toHaveBeenCalledTimes(1);
  };
  for (let i = 0; i < 5; i++) await next(60_000);
  steady = undefined;
  await next(60_000);
  await next(4_000);
  steady = 15_000;
  await next(4_000);
  await next(15_000);
  end();
});
