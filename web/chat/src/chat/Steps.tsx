import { Copy } from "../lib/Copy";
import { words } from "../words";
import { apart } from "../words/apart";

/** What a server outlives its end with, and what ends one, to be copied. */
const KEPT = "aguiws --redis redis://127.0.0.1:6379";
const KILL = "pkill -9 -x aguiws";

/** What this is for, step by step. `begun`: the first of them is done. */
export default function Steps({ durable, begun }: { durable: boolean; begun: boolean }) {
  const { path } = apart;
  return (
    <ol start={begun ? 2 : 1} data-testid="steps">
      {!begun && (
        <li>
          <strong>{path.propose}</strong> <span>{words.chat.propose}</span>
        </li>
      )}
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
