// What is answered together, by what would be done, and what of it is unlike the others.

import { isObject } from "../../../react/forms/schema";
import { parse, stringify } from "../../../react/lib/json";
import type { InboxItem } from "../server/api";

/** A question, and the item that asks it. */
export interface Asked {
  item: Pick<InboxItem, "user" | "agent">;
  one: Pick<InboxItem["interrupts"][number], "toolCall">;
}

/** In what a question differs from most of its kind: the names of arguments, and who asks. */
export interface Unlike {
  args: readonly string[];
  user: boolean;
  agent: boolean;
}

export interface Kind<T> {
  /** The tool that would do it; undefined: they ask for a yes or no alone. */
  tool?: string;
  /** Those that are unlike most of them first. */
  asked: ReadonlyArray<{ asked: T; unlike?: Unlike }>;
  /** Who asks all of them, and which agent, if it is the same. */
  user?: string;
  agent?: string;
}

/** Questions by the tool that they ask for, those of which there are fewest first. */
export function kindsOf<T extends Asked>(asked: readonly T[]): Array<Kind<T>> {
  const groups = new Map<string | undefined, T[]>();
  for (const each of asked) {
    const tool = each.one.toolCall?.name;
    groups.set(tool, [...(groups.get(tool) ?? []), each]);
  }
  return [...groups].map(([tool, group]) => kindOf(tool, group)).sort((one, other) => one.asked.length - other.asked.length);
}

/** Who asks all of it, and which agent, if it is the same. */
export function allAsked(kinds: ReadonlyArray<Kind<unknown>>): Pick<Kind<unknown>, "user" | "agent"> {
  const same = (by: "user" | "agent") => (new Set(kinds.map((kind) => kind[by])).size === 1 ? kinds[0]![by] : undefined);
  return { user: same("user"), agent: same("agent") };
}

function kindOf<T extends Asked>(tool: string | undefined, group: readonly T[]): Kind<T> {
  const members = group.map(({ one }) => membersOf(one.toolCall?.arguments));
  const names = [...new Set(members.flatMap((one) => [...one.keys()]))];
  const unlikeIn = new Map(names.map((name) => [name, rest(members.map((one) => one.get(name)))]));
  const users = group.map(({ item }) => item.user);
  const agents = group.map(({ item }) => item.agent);
  const [byUser, byAgent] = [rest(users), rest(agents)];
  const told = group.map((asked, i) => {
    const unlike = { args: names.filter((name) => unlikeIn.get(name)!.has(i)), user: byUser.has(i), agent: byAgent.has(i) };
    return unlike.args.length > 0 || unlike.user || unlike.agent ? { asked, unlike } : { asked };
  });
  return {
    tool,
    asked: [...told.filter(({ unlike }) => unlike), ...told.filter(({ unlike }) => !unlike)],
    user: new Set(users).size === 1 ? users[0] : undefined,
    agent: new Set(agents).size === 1 ? agents[0] : undefined,
  };
}

/** The places of the values that are not what more than half of them are; none where no value is. */
function rest(values: ReadonlyArray<string | undefined>): ReadonlySet<number> {
  // Sorted, what more than half are stands in the middle.
  const most = values.map((one) => one ?? "").toSorted()[values.length >> 1];
  const others = values.flatMap((one, i) => ((one ?? "") === most ? [] : i));
  return new Set(others.length < values.length / 2 ? others : []);
}

/** Arguments by their names; those that are no object have none. */
function membersOf(text = "{}"): ReadonlyMap<string, string> {
  try {
    const value = parse(text);
    return new Map(isObject(value) ? Object.entries(value).map(([name, one]) => [name, stringify(one)]) : []);
  } catch {
    return new Map();
  }
}
