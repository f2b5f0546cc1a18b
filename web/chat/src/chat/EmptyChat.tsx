import type { ThreadStatus } from "../../../client";
import { words, type Words } from "../words";

/** The type of the built-in agent. */
const SCRIPT = "aguiws:script";

const SLOW = "/slow 60 500";

const EMAIL = '/tool send_email {"to":"ada@example.com","subject":"Hi"}';

/** What the built-in agent is there to show, in plain words. */
function cards(durable: boolean): Array<[title: string, what: string, command: string]> {
  const { tries } = words.chat;
  return [
    [tries.email, tries.emailWhat, EMAIL],
    [tries.form, tries.formWhat, "/form"],
    [tries.crash, durable ? tries.crashWhat : tries.inMemory, SLOW],
  ];
}

/** What the built-in agent understands, one button each. */
const COMMANDS: Array<[command: string, what: keyof Words["chat"]["commands"]]> = [
  ["/say Hello from the script agent", "say"],
  ["/slow 20 100", "slow"],
  [EMAIL, "tool"],
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

type Identity = NonNullable<NonNullable<NonNullable<ThreadStatus["hello"]>["capabilities"]>["identity"]>;

interface EmptyProps {
  /** Who answers, where the server says so. */
  agent: Identity | undefined;
  /** Whether what is kept outlives the server. */
  durable: boolean;
  send: (text: string) => void;
}

/** A chat that nobody has written in. What an agent understands is known of the built-in one only. */
export function EmptyChat({ agent, durable, send }: EmptyProps) {
  if (agent?.type !== SCRIPT) {
    return (
      <section className="empty" aria-label={words.chat.newChat} data-testid="empty">
        <h2>{agent?.name ? words.chat.whatShall(agent.name) : words.chat.whatShallIt}</h2>
        <p className="hint">{agent?.description || words.chat.begin}</p>
      </section>
    );
  }
  return (
    <section className="empty" aria-label={words.chat.thingsToTry} data-testid="empty">
      <h2>{words.chat.agentThatAsks}</h2>
      <p className="hint">{words.chat.tryOne}</p>
      <ul className="commands cards">
        {cards(durable).map(([title, what, command]) => (
          <li key={command}>
            <button type="button" data-testid="try" data-command={command.split(" ")[0]} onClick={() => send(command)}>
              <strong>{title}</strong>
              <span>{what}</span>
            </button>
          </li>
        ))}
      </ul>
      <details data-testid="commands">
        <summary>{words.chat.everything}</summary>
        <ul className="commands">
          {COMMANDS.map(([command, what]) => (
            <li key={command}>
              <button type="button" data-testid="command-button" data-command={command.split(" ")[0]} onClick={() => send(command)}>
                <code>{command}</code>
                <span>{words.chat.commands[what]}</span>
              </button>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
