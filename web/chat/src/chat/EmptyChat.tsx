import type { ThreadStatus } from "../../../client";
import { commandsOf } from "./commands";
import { Path } from "./FirstVisit";
import { useMay } from "../server/who";
import { words } from "../words";
import { en } from "../words/en";

/** What else the built-in agent is there to show. A server that keeps nothing has nothing to carry on with. */
function starters(durable: boolean): ReadonlyArray<readonly [title: string, what: string, said: string]> {
  const { tries } = words.chat;
  const kept = [[tries.crash, tries.crashWhat, tries.count]] as const;
  return [[tries.form, tries.formWhat, tries.form], [tries.dinner, tries.dinnerWhat, tries.dinner], ...(durable ? kept : [])];
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
        <p>{agent?.description || words.chat.begin}</p>
        {!durable && <MemoryNotice />}
      </section>
    );
  }
  return (
    <section className="empty" aria-label={words.chat.thingsToTry} data-testid="empty">
      <h2>{words.chat.agentThatAsks}</h2>
      <p>{words.chat.proposes}</p>
      <button type="button" className="primary" data-testid="try" onClick={() => send(words.chat.propose)}>
        {words.chat.propose}
      </button>
      <div className="actions center starters">
        {starters(durable).map(([title, what, said]) => (
          <button type="button" key={said} title={what} data-testid="try" onClick={() => send(said)}>
            {title}
          </button>
        ))}
      </div>
      <div className="more">
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
        <Path durable={durable} begun={false} />
      </div>
    </section>
  );
}

/** What to do about it, as whoever serves the page put it there, or else in the page's words: those of the command are the same. */
function advice(): string {
  const said = document.querySelector<HTMLMetaElement>('meta[name="aguiws:keep"]')?.content;
  return said && said !== en.chat.keepAdvice ? said : words.chat.keepAdvice;
}

/** A line that says that what is kept ends with the server, to those who may do something about it. */
function MemoryNotice() {
  if (!useMay("admin")) return null;
  return (
    <p className="hint" data-testid="durable-banner">
      {words.chat.inMemory} {advice()}
    </p>
  );
}
