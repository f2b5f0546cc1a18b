import { Attached } from "../files/Attached";
import { saidIn } from "../files/media";
import type { Outgoing } from "./outbox";
import { Guarded } from "../../../react/lib/Guarded";
import { isForbidden, sentence, wordsFor } from "../lib/words";
import { words } from "../words";

interface Props {
  items: readonly Outgoing[];
  /** Why nothing can be taken at the moment; undefined where it can. */
  waits?: string;
  retry: (runId: string) => void;
  discard: (runId: string) => void;
  /** Takes the text of a message back, to be changed. */
  edit: (item: Outgoing) => void;
}

/** Messages and answers that the server has not taken: on their way, or refused and kept for whoever wrote them. */
export function OutgoingList({ items, waits, retry, discard, edit }: Props) {
  return items.map((item) => {
    const { runId, message, said = [], refusal } = item;
    const why = refusal && wordsFor(refusal.code);
    const forbidden = refusal !== undefined && isForbidden(refusal.code);
    return (
      <div key={runId} className={`outgoing${message ? " user" : ""}`} data-testid="outgoing" data-state={refusal ? "failed" : "pending"} data-run-id={runId}>
        <Attached content={message?.content} />
        <p className="text">{message ? saidIn(message.content) : [words.chat.yourAnswer, said.join("\n")].filter(Boolean).join(": ")}</p>
        {!refusal && (
          <p className={waits ? "hint" : "hint late-shown"} role="status">
            {waits ? words.chat.notSentYet(waits) : words.chat.sending}
          </p>
        )}
        {refusal && why && (
          <div role="alert">
            <p className="fault">{words.chat.notSent(why.title)}</p>
            <p className="hint">
              {!forbidden && capital(sentence(refusal.message))} {why.advice}
            </p>
          </div>
        )}
        {(refusal || waits) && (
          <Guarded subject={`${runId} ${refusal === undefined}`} className="actions">
            {refusal && !forbidden && (
              <button type="button" className="primary" data-testid="retry" onClick={() => retry(runId)}>
                {words.chat.sendAgain}
              </button>
            )}
            {message && (
              <button type="button" data-testid="edit-unsent" onClick={() => edit(item)}>
                {words.chat.edit}
              </button>
            )}
            <button type="button" className="quiet" data-testid="discard" onClick={() => discard(runId)}>
              {words.chat.discard}
            </button>
          </Guarded>
        )}
      </div>
    );
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
