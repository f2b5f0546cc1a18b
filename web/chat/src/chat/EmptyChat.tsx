import type { ThreadStatus } from "../../../client";
import { commandsOf } from "./commands";

const SLOW = "/slow 60 500";

/** What the built-in agent is there to show, in plain words. */
const CARDS: Array<[words: string, what: string, command: string]> = [
  ["Ask me before sending an email", "You see what it would send, and nothing is sent before you say so.", '/tool send_email {"to":"ada@example.com","subject":"Hi"}'],
  ["Fill in a form with me", "It asks for figures, checks what you enter, and goes on with that.", "/form"],
  ["Crash halfway and carry on", "It counts for half a minute. Kill the server in the meantime and start it again: the count goes on.", SLOW],
];

const IN_MEMORY = "It counts for half a minute. This server keeps everything in memory, so nothing is left to continue after it is killed: start it with --redis URL to see it.";

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
      <section className="empty" aria-label="New chat" data-testid="empty">
        <h2>{agent?.name ? `What shall ${agent.name} do?` : "What shall the agent do?"}</h2>
        <p className="hint">{agent?.description || "Write a message to begin. The chat is kept under this address."}</p>
      </section>
    );
  }
  return (
    <section className="empty" aria-label="Things to try" data-testid="empty">
      <h2>An agent that asks before it acts, and picks up where it left off even if its server dies.</h2>
      <p className="hint">Try one of these, or write anything.</p>
      <ul className="commands cards">
        {CARDS.map(([words, what, command]) => (
          <li key={command}>
            <button type="button" data-testid="try" data-command={command.split(" ")[0]} onClick={() => send(command)}>
              <strong>{words}</strong>
              <span>{command === SLOW && !durable ? IN_MEMORY : what}</span>
            </button>
          </li>
        ))}
      </ul>
      <details data-testid="commands">
        <summary>Everything this agent understands</summary>
        <ul className="commands">
          {commands.map(([command, what]) => (
            <li key={command}>
              <button type="button" data-testid="command-button" data-command={command.split(" ")[0]} onClick={() => send(command)}>
                <code>{command}</code>
                <span>{what}</span>
              </button>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
