// What the built-in agent understands, one button each.

const COMMANDS: Array<[command: string, what: string]> = [
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

export function EmptyChat({ send }: { send: (text: string) => void }) {
  return (
    <section className="empty" aria-label="Things to try">
      <h2>What shall the agent do?</h2>
      <p className="hint">Write anything, or try one of these.</p>
      <ul className="commands">
        {COMMANDS.map(([command, what]) => (
          <li key={command}>
            <button type="button" data-testid="command-button" data-command={command.split(" ")[0]} onClick={() => send(command)}>
              <code>{command}</code>
              <span>{what}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
