import { useState } from "react";
import { ApiError, call, type Page, type RunInfo } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { Pager } from "../server/Pager";
import { usePages, type Place } from "../server/pages";
import { causes, requeueAll, type Requeued } from "./requeue";
import { RunTable, type Act } from "./RunTable";
import { sentence, wordsFor } from "../lib/words";

const wordsOf = (failed: unknown) => (failed instanceof ApiError ? `${sentence(failed.message)} ${wordsFor(failed.code).advice}` : String(failed));

const EVERY_MS = 3_000;

/** How many are shown at once. */
const SIZE = 50;

interface Props {
  act: Act;
  /** Some were requeued. */
  changed: () => void;
}

/** The dead letters, one by one and all that are shown at once. */
export function DeadLetters({ act, changed }: Props) {
  const letters = usePages<RunInfo>(`/dispatches?state=dead_letter&limit=${SIZE}`, EVERY_MS);
  const [asked, ask] = useState<readonly RunInfo[]>();
  const [sending, setSending] = useState(false);
  const [results, setResults] = useState<readonly Requeued[]>([]);
  const items = letters.data?.items ?? [];
  const ready = items.filter(({ continuedAs }) => !continuedAs);
  const refused = results.filter(({ fault }) => fault !== undefined);
  const actHere: Act = async (...what) => {
    await act(...what);
    letters.refresh();
  };
  const send = async () => {
    setSending(true);
    await requeueAll(asked!, call, wordsOf, setResults);
    setSending(false);
    ask(undefined);
    letters.refresh();
    changed();
  };
  return (
    <section aria-labelledby="letters">
      <h2 id="letters">Dead letters</h2>
      {letters.data && items.length === 0 && (
        <p className="hint" data-testid="letters-none">
          {noneWords(letters.data, letters.place)}
        </p>
      )}
      {items.length > 0 && (
        <p className="hint">
          Runs of the whole tenant whose workers were lost too often, or that could not go on. Requeue goes on with one; Dismiss takes it off this list, and it cannot be requeued any more.
        </p>
      )}
      {(ready.length > 1 || asked) && (
        <Guarded subject={asked ? asked.map(({ id }) => id).join() : "letters"} className="confirm">
          {asked ? (
            <>
              <p data-testid="requeue-asks">
                <strong>Requeue {asked.length} runs?</strong> <span dir="auto">{visible(causes(asked).join(", "))}</span>, in {new Set(asked.map(({ namespace, threadId }) => `${namespace} ${threadId}`)).size} chats. Each goes on with its journal in a run of its own; what is
                refused stays here with the reason.
              </p>
              <div className="actions">
                <button type="button" className="primary" data-testid="requeue-send" disabled={sending} onClick={() => void send()}>
                  {sending ? `Requeueing, ${results.length} of ${asked.length}…` : `Requeue ${asked.length}`}
                </button>
                <button type="button" data-edits disabled={sending} onClick={() => ask(undefined)}>
                  Back
                </button>
              </div>
            </>
          ) : (
            <button
              type="button"
              data-edits
              data-testid="requeue-all"
              onClick={() => {
                setResults([]);
                ask(ready);
              }}
            >
              Requeue all shown ({ready.length})…
            </button>
          )}
        </Guarded>
      )}
      {!sending && results.length > 0 && (
        <div role="status" data-testid="requeue-results">
          <p className="hint">
            {results.length - refused.length} of {results.length} were requeued.
          </p>
          {refused.length > 0 && (
            <ul>
              {refused.map(({ run, fault }) => (
                <li key={run.id} className="fault">
                  <code>{run.runId}</code>: {fault}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {items.length > 0 && <RunTable runs={items} act={actHere} across />}
      <Pager place={letters.place} of="dead letters" />
    </section>
  );
}

function noneWords({ partial }: Page<RunInfo>, place: Place): string {
  if (partial) return "A part of the store does not answer: there may be some.";
  if (place.back) return "None are left on this page.";
  return "None are left: everything was delivered, requeued or dismissed.";
}
