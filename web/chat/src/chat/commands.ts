// What an agent understands that is written with a slash. That is known of the built-in one only.

import { type Words } from "../words";

export type Command = readonly [command: string, what: keyof Words["chat"]["commands"]];

/** The type of the built-in agent. */
const SCRIPT = "aguiws:script";

const COMMANDS: readonly Command[] = [
  ["/say Hello, world", "say"],
  ["/slow 20 100", "slow"],
  ['/tool send_email {"to":"ada@example.com","subject":"Hi"}', "tool"],
  ["/delete staging", "destroy"],
  ["/parallel 3", "parallel"],
  ["/form", "form"],
  ["/confirm Deploy to production?", "confirm"],
  ["/twice", "twice"],
  ["/expire 60", "expire"],
  ["/fail Something broke", "fail"],
  ["/panic", "panic"],
  ['/state {"count":1}', "state"],
  ["/effect", "effect"],
  ["/think What could this be about?", "think"],
  ["/delegate Say hello", "delegate"],
];

const NONE: readonly Command[] = [];

export function commandsOf(agent: { type?: string } | undefined): readonly Command[] {
  return agent?.type === SCRIPT ? COMMANDS : NONE;
}

/** Those that what is written may become: it begins with a slash, and its first word is not over. */
export function commandsFor(text: string, commands: readonly Command[]): readonly Command[] {
  if (!/^\/\S*$/.test(text)) return NONE;
  const begun = text.toLowerCase();
  return commands.filter(([command]) => command !== text && command.split(" ")[0]!.startsWith(begun));
}

/** Which of those is taken while nobody has chosen: the first, and none where what is written is the name of one. */
export function firstFor(text: string, offered: readonly Command[]): number {
  return offered.length > 0 && offered.every(([command]) => command.split(" ")[0] !== text) ? 0 : -1;
}
