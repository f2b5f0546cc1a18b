import type { ThreadStatus } from "../../../client";
import { commandsOf } from "./commands";
import { words } from "../words";

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
  const commands = commandsOf(agent);
  if (commands.length === 0) {
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
          {commands.map(([command, what]) => (
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
