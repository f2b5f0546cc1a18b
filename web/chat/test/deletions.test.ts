import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Deletions, HELD_MS, type Tabs } from "../src/threads/deletions";
import { searchThreads } from "../src/threads/threadsearch";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A browser: its tabs hear each other, and each keeps what it is asked to. */
function browser() {
  const all: Tabs[] = [];
  const removed: string[] = [];
  const failing: { with?: Error } = {};
  const keep = () => {
    const items = new Map<string, string>();
    return { getItem: (key: string) => items.get(key) ?? null, setItem: (key: string, value: string) => void items.set(key, value), removeItem: (key: string) => void items.delete(key) };
  };
  const open = (kept = keep()) => {
    let closed = false;
    const tabs: Tabs = { onmessage: null, postMessage: (data) => closed || all.filter((one) => one !== tabs).forEach((one) => one.onmessage?.({ data })) };
    all.push(tabs);
    const deletions = new Deletions({
      kept,
      tabs,
      remove: async (id) => {
        if (closed) return;
        if (failing.with) throw failing.with;
        removed.push(id);
      },
    });
    const close = () => {
      all.splice(all.indexOf(tabs), 1);
      closed = true;
    };
    return { deletions, kept, close, held: () => deletions.look().held.map(({ threadId }) => threadId).join() };
  };
  return { open, removed, failing };
}

it("keeps nothing for whoever comes next, and deletes nothing for who is gone", async () => {
  const { open, removed } = browser();
  const [tab, other] = [open(), open()];
  expect(tab.kept.getItem("aguiws:deletions")).toBeNull();
  tab.deletions.hold("t1", "One");
  expect(tab.kept.getItem("aguiws:deletions")).toContain("t1");
  tab.deletions.forget();
  expect([tab.held(), other.held(), tab.kept.getItem("aguiws:deletions")]).toEqual(["", "", null]);
  await vi.advanceTimersByTimeAsync(HELD_MS);
  expect(removed).toEqual([]);
});

it("deletes when the time is over, and not before", async () => {
  const { open, removed } = browser();
  const { deletions, held } = open();
  const gone = vi.fn();
  deletions.gone = gone;
  deletions.hold("t1", "One");
  expect(held()).toBe("t1");
  await vi.advanceTimersByTimeAsync(HELD_MS - 1);
  expect(removed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(removed).toEqual(["t1"]);
  expect(gone).toHaveBeenCalledWith("t1");
  expect(held()).toBe("t1"); // until lists know, it is not shown again
  await vi.advanceTimersByTimeAsync(4_000);
  expect(held()).toBe("");
});

it("is told in every tab, and taken back from any", async () => {
  const { open, removed } = browser();
  const one = open();
  const two = open();
  one.deletions.hold("t1", "One");
  expect(two.held()).toBe("t1");
  const late = open();
  expect(late.held()).toBe("t1");
  late.deletions.undo("t1");
  expect([one.held(), two.held(), late.held()]).toEqual(["", "", ""]);
  await vi.advanceTimersByTimeAsync(HELD_MS * 3);
  expect(removed).toEqual([]);
});

it("survives that its tab is loaded anew, and is dropped with a tab that is closed", async () => {
  const { open, removed } = browser();
  const before = open();
  before.deletions.hold("t1", "One");
  await vi.advanceTimersByTimeAsync(HELD_MS / 2);
  before.close();
  const { held } = open(before.kept);
  expect(held()).toBe("t1");
  await vi.advanceTimersByTimeAsync(HELD_MS / 2);
  expect(removed).toEqual(["t1"]);

  const closed = open();
  closed.deletions.hold("t2", "Two");
  closed.close();
  const other = open();
  expect(other.held()).toBe("");
  await vi.advanceTimersByTimeAsync(HELD_MS * 2);
  expect(removed).toEqual(["t1"]);
});

it("has not deleted what a tab keeps that is opened again long after", async () => {
  const { open, removed } = browser();
  const before = open();
  before.deletions.hold("t1", "One");
  before.close();
  const text = before.kept.getItem("aguiws:deletions");
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  const { held } = open({ getItem: () => text, setItem: () => {}, removeItem: () => {} });
  expect(held()).toBe("");
  await vi.advanceTimersByTimeAsync(HELD_MS * 2);
  expect(removed).toEqual([]);
});

it("shows a chat again whose tab was lost before it deleted it", async () => {
  const tabs: Tabs = { onmessage: null, postMessage: () => {} };
  const remove = vi.fn();
  const deletions = new Deletions({ remove, tabs });
  tabs.onmessage!({ data: { held: { threadId: "t1", title: "One", at: Date.now() + HELD_MS } } });
  expect(deletions.look().held).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(HELD_MS * 2);
  expect(deletions.look().held).toEqual([]);
  expect(remove).not.toHaveBeenCalled();
});

it("says that it was refused, and shows the chat again", async () => {
  const { open, failing } = browser();
  const { deletions, held } = open();
  failing.with = new Error("the thread is in use");
  deletions.hold("t1", "One");
  await vi.advanceTimersByTimeAsync(HELD_MS);
  expect(held()).toBe("");
  expect(deletions.look().fault).toEqual({ threadId: "t1", words: "the thread is in use" });
  deletions.hold("t2", "Two");
  expect(deletions.look().fault).toBeUndefined();
});

it("takes no harm from what is kept that is none of its own", () => {
  for (const text of ["{", "null", '[1,null,{"threadId":1}]']) {
    expect(new Deletions({ remove: async () => {}, kept: { getItem: () => text, setItem: () => {}, removeItem: () => {} } }).look().held).toEqual([]);
  }
});

it("finds chats by words of their title, or how their id begins", () => {
  const thread = (threadId: string, title: string) => ({ threadId, title, updatedAt: "", active: false, waiting: false, queued: 0 });
  const all = [thread("ab-1", "Flight to Zürich"), thread("cd-2", "Zurich, a guide"), thread("ab-3", "")];
  const found = (wanted: string) => searchThreads(all, wanted).map(({ threadId }) => threadId).join();
  expect(found("")).toBe("ab-1,cd-2,ab-3");
  expect(found("zurich")).toBe("ab-1,cd-2");
  expect(found(" ZÜRICH flight ")).toBe("ab-1");
  expect(found("AB-")).toBe("ab-1,ab-3");
  expect(found("nothing")).toBe("");
});
