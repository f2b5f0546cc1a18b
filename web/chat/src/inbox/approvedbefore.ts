// A call that is asked for again, of which the same was approved in its chat before. Whoever may answer sees that on record.

import { useEffect, useState } from "react";
import type { ToolCall } from "@ag-ui/client";
import { call, type DecisionInfo, type InboxItem, type Page } from "../server/api";
import { doneBefore } from "../decision/donebefore";
import { toldOnRecord } from "../decision/told";
import { stringify } from "../../../react/lib/json";

type Asked = Pick<InboxItem["interrupts"][number], "interrupt" | "toolCall" | "truncated">;

/** When the same call was approved last; undefined: it was not, or nobody can tell. `decisions`: of its chat, the latest first. */
export function approvedBefore({ interrupt, toolCall, truncated }: Asked, decisions: readonly DecisionInfo[]): string | undefined {
  if (!toolCall || truncated) return undefined;
  const others = decisions.flatMap(({ toolCallId: id, tool: name, arguments: args, ...rest }) => {
    const told = toldOnRecord({ toolCallId: id, tool: name, arguments: args, ...rest });
    if (!id || id === interrupt.toolCallId || !name || told.approved !== true) return [];
    return [{ told, done: { id, name, ...(!rest.cut?.includes("arguments") && { arguments: stringify(args ?? {}) }) } }];
  });
  const decided = new Map(others.map(({ told, done }) => [done.id, told]));
  const found = doneBefore({ function: toolCall } as ToolCall, [{ calls: others.map(({ done }) => done).reverse() }], decided);
  return found?.known ? decided.get(found.id)?.at : undefined;
}

const NONE: readonly DecisionInfo[] = [];

/** How many of a tool's latest decisions are looked through: of the chat, or of all chats if several are answered. */
const MOST = { one: 50, several: 200 };

/** Where the decisions about the tools are that these ask for. */
function pathsOf(items: readonly InboxItem[]): string[] {
  const tools = new Set(items.flatMap(({ interrupts }) => interrupts.flatMap(({ toolCall }) => toolCall?.name ?? [])));
  const [one] = items;
  return [...tools].map((tool) => {
    if (items.length > 1) return `/decisions?${new URLSearchParams({ tool, limit: String(MOST.several) })}`;
    const { threadId, namespace } = one!;
    return `/threads/${encodeURIComponent(threadId)}/decisions?${new URLSearchParams({ namespace, tool, limit: String(MOST.one) })}`;
  });
}

/** When a call that one of these asks for was approved before. It is asked once; nobody needs it to answer. */
export function useApprovedBefore(items: readonly InboxItem[]): (item: InboxItem, asked: Asked) => string | undefined {
  const [decisions, learn] = useState(NONE);
  const paths = pathsOf(items).join("\n");
  useEffect(() => {
    let over = false;
    learn(NONE);
    Promise.all(paths.split("\n").filter(Boolean).map((path) => call<Page<DecisionInfo>>("GET", path))).then(
      (pages) => over || learn(pages.flatMap(({ items }) => items)),
      () => {},
    );
    return () => {
      over = true;
    };
  }, [paths]);
  return ({ threadId, namespace }, asked) => approvedBefore(asked, decisions.filter((one) => one.threadId === threadId && one.namespace === namespace));
}
