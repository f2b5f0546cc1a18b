// What an agent understands that is written with a slash. That is known of the built-in one only.

export type Command = readonly [command: string, what: string];

/** The type of the built-in agent. */
const SCRIPT = "aguiws:script";

const COMMANDS: readonly Command[] = [
  ["/say Hello from the script agent", "Streams a sentence, word by word"],
  ["/slow 20 100", "Streams slowly; reload in the middle"],
  ['/tool send_email {"to":"ada@example.com","subject":"Hi"}', "Proposes a tool call and waits for you"],
  ["/parallel 3", "Three proposals, answered together"],
  ["/form", "Asks for figures with a form"],
  ["/confirm Deploy to production?", "Asks for a plain confirmation"],
  ["/twice", "Asks, and asks again"],
  ["/expire 60", "Asks with a deadline"],
  ["/fail Something broke", "Ends with an error"],
  ["/panic", "Panics, and is contained"],
  ['/state {"count":1}', "Shares state with the page"],
  ["/effect", "Does something that happens once"],
  ["/think What could this be about?", "Reasons before it answers"],
  ["/delegate Say hello", "Hands over to a subagent"],
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
