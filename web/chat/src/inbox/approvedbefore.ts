// A call that is asked for again, of which the same was approved in its chat before. Whoever may answer sees that on record.

import { useEffect, useState } from "react";
import type { ToolCall } from "@ag-ui/client";
import { call, type DecisionInfo, type InboxItem, type Page } from "../server/api";
import { doneBefore } from "../decision/donebefore";
import { toldOnRecord } from "../decision/told";
import { isObject } from "../../../react/forms/schema";
import { stringify } from "../../../react/lib/json";

type Asked = Pick<InboxItem["interrupts"][number], "interrupt" | "toolCall" | "truncated">;

/** When the same call was approved last; undefined: it was not, or nobody can tell. `decisions`: of its chat, the latest first. */
export function approvedBefore({ interrupt, toolCall, truncated }: Asked, decisions: readonly DecisionInfo[]): string | undefined {
  if (!toolCall || truncated) return undefined;
  const others = decisions.flatMap(({ toolCallId: id, tool: name, arguments: args, ...rest }) => {
    const { payload } = rest;
    const told = toldOnRecord({ toolCallId: id, tool: name, arguments: args, ...rest });
    // A yes may be the default answer where nobody answered in time.
    if (rest.status === "expired" && isObject(payload) && payload.approved === true) told.approved = true;
    if (!id || id === interrupt.toolCallId || !name || told.approved !== true) return [];
    return [{ told, done: { id, name, ...(!rest.cut?.includes("arguments") && { arguments: stringify(args ?? {}) }) } }];
  });
  const decided = new Map(others.map(({ told, done }) => [done.id, told]));
  const found = doneBefore({ function: toolCall } as ToolCall, [{ calls: others.map(({ done }) => done).reverse() }], decided);
  return found?.known ? decided.get(found.id)?.at : undefined;
}

/** How many of a tool's latest decisions are looked through in each chat. */
const MOST = 200;

/** So many chats are looked through at once. */
const AT_ONCE = 6;

/** Where the decisions of these chats are about the tools that they ask for. */
export function pathsOf(items: readonly InboxItem[]): string[] {
  return items.flatMap(({ threadId, namespace, interrupts }) =>
    [...new Set(interrupts.flatMap(({ toolCall }) => toolCall?.name ?? []))].map(
      (tool) => `/threads/${encodeURIComponent(threadId)}/decisions?${new URLSearchParams({ namespace, tool, limit: String(MOST) })}`,
    ),
  );
}

/** Learns what is decided there. What nobody answers is left out: the question can be answered without it. */
export async function lookThrough(paths: readonly string[], ask: (path: string) => Promise<Page<DecisionInfo>>, learn: (some: readonly DecisionInfo[]) => void): Promise<void> {
  for (let i = 0; i < paths.length; i += AT_ONCE) {
    await Promise.allSettled(paths.slice(i, i + AT_ONCE).map(async (path) => learn((await ask(path)).items)));
  }
}

interface Known {
  paths: string;
  decisions: readonly DecisionInfo[];
  whole: boolean;
}

/** When a call that one of these asks for was approved before, which is asked once, and whether that is not known yet. */
export function useApprovedBefore(items: readonly InboxItem[]): { before: (item: InboxItem, asked: Asked) => string | undefined; looking: boolean } {
  const [known, learn] = useState<Known>();
  const paths = pathsOf(items).join("\n");
  useEffect(() => {
    let over = false;
    const knows = (some: readonly DecisionInfo[], whole = false) =>
      over || learn((last) => ({ paths, decisions: [...(last?.paths === paths ? last.decisions : []), ...some], whole }));
    void lookThrough(paths.split("\n").filter(Boolean), (path) => over ? Promise.reject() : call("GET", path), knows).then(() => knows([], true));
    return () => {
      over = true;
    };
  }, [paths]);
  const { decisions = [], whole = false } = known?.paths === paths ? known : {};
  return {
    before: ({ threadId, namespace }, asked) => approvedBefore(asked, decisions.filter((one) => one.threadId === threadId && one.namespace === namespace)),
    looking: paths !== "" && !whole,
  };
}
