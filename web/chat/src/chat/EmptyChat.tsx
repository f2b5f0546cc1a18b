import type { ThreadStatus } from "../../../client";
import { commandsOf } from "./commands";
import { Copy } from "../lib/Copy";
import { MemoryNotice } from "./MemoryNotice";
import { words } from "../words";

const SLOW = "/slow 60 500";

/** What a server outlives its end with, and what ends one, to be copied. */
const KEPT = "aguiws --redis redis://127.0.0.1:6379";
const KILL = "pkill -9 -x aguiws";

/** What the built-in agent is there to show, in plain words. */
function cards(durable: boolean): Array<[title: string, what: string, command: string]> {
  const { tries } = words.chat;
  return [
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
        {!durable && <MemoryNotice />}
      </section>
    );
  }
  return (
    <section className="empty" aria-label={words.chat.thingsToTry} data-testid="empty">
      <h2>{durable ? words.chat.agentThatAsks : words.chat.agentThatOnlyAsks}</h2>
      <Path durable={durable} send={send} />
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

/** What this is for, step by step. */
function Path({ durable, send }: Pick<EmptyProps, "durable" | "send">) {
  const { path } = words.chat;
  return (
    <ol className="path" aria-label={path.label} data-testid="path">
      <li>
        <strong>{path.propose}</strong>
        <button type="button" className="primary" data-testid="try" data-command="email" onClick={() => send(path.say)}>
          {path.say}
        </button>
      </li>
      <li>
        <strong>{path.reload}</strong> <span>{path.reloadWhat}</span>
      </li>
      <li>
        <strong>{durable ? path.kill : path.keep}</strong> <span>{durable ? path.killWhat : path.keepWhat}</span>
        <span className="command">
          <code>{durable ? KILL : KEPT}</code>
          <Copy text={durable ? KILL : KEPT} label={words.lib.copy} hook="copy-command" />
        </span>
      </li>
      <li>
        <strong>{path.approve}</strong> <span>{path.approveWhat}</span>
      </li>
    </ol>
  );
}
