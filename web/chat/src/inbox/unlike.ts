// What is answered together, by what would be done, and what of it is unlike the others.

import { isObject } from "../../../react/forms/schema";
import { parse, stringify } from "../../../react/lib/json";
import { printed } from "../../../react/lib/jsonscan";
import type { InboxItem } from "../server/api";

/** A question, and the item that asks it. */
export interface Asked {
  item: Pick<InboxItem, "user" | "agent">;
  one: Pick<InboxItem["interrupts"][number], "toolCall">;
}

/** The name of an argument; undefined: all of them, where they are no object, or name something twice. */
type Name = string | undefined;

/** In what a question differs from most of its kind: the names of arguments, and who asks. */
export interface Unlike {
  args: readonly Name[];
  user: boolean;
  agent: boolean;
}

export interface Kind<T> {
  /** The tool that would do it; undefined: they ask for a yes or no alone. */
  tool?: string;
  /** The arguments that are the same in all of several, as JSON. */
  same?: string;
  /** Those that are unlike most of them first. `args`: its other arguments, as JSON. */
  asked: ReadonlyArray<{ asked: T; args?: string; unlike?: Unlike }>;
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
  const members = group.map(({ one }) => membersOf(one.toolCall?.arguments || "{}"));
  const names = [...new Set(members.flatMap((one) => [...one.keys()]))];
  const unlikeIn = new Map(names.map((name) => [name, rest(members.map((one) => one.get(name)))]));
  const same = new Set(group.length > 1 ? names.filter((name) => new Set(members.map((one) => one.get(name))).size === 1) : []);
  const users = group.map(({ item }) => item.user);
  const agents = group.map(({ item }) => item.agent);
  const [byUser, byAgent] = [rest(users), rest(agents)];
  const told = group.map((asked, i) => {
    const unlike = { args: names.filter((name) => unlikeIn.get(name)!.has(i)), user: byUser.has(i), agent: byAgent.has(i) };
    const own = [...members[i]!].filter(([name]) => !same.has(name));
    const args = asked.one.toolCall && (own.length > 0 || same.size === 0) ? textOf(own) : undefined;
    return { asked, args, ...((unlike.args.length > 0 || unlike.user || unlike.agent) && { unlike }) };
  });
  return {
    tool,
    same: same.size > 0 ? textOf([...members[0]!].filter(([name]) => same.has(name))) : undefined,
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

/** Arguments by their names. */
function membersOf(text: string): ReadonlyMap<Name, string> {
  const value = printed(text)?.twice.length === 0 ? parse(text) : undefined;
  return isObject(value) ? new Map(Object.entries(value).map(([name, one]) => [name, stringify(one)])) : new Map([[undefined, text]]);
}

function textOf(members: ReadonlyArray<readonly [Name, string]>): string {
  const [[name, all] = [""]] = members;
  return name === undefined ? all! : `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}
