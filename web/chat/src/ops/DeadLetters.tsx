import { useState } from "react";
import { ApiError, call, type Page, type RunInfo } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { Pager } from "../server/Pager";
import { usePages, type Place } from "../server/pages";
import { causes, requeueAll, type Requeued } from "./requeue";
import { RunTable, type Act } from "./RunTable";
import { useTitles, withTitles } from "./titles";
import { sentence, wordsFor } from "../lib/words";
import { ops } from "../words/ops";

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
  useTitles();
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
      <h2 id="letters">{ops.places["dead-letters"]}</h2>
      {letters.data && items.length === 0 && (
        <p className="hint" data-testid="letters-none">
          {noneWords(letters.data, letters.place)}
        </p>
      )}
      {items.length > 0 && (
        <p className="hint">
          {ops.deadAbout}
        </p>
      )}
      {(ready.length > 1 || asked) && (
        <Guarded subject={asked ? asked.map(({ id }) => id).join() : "letters"} className="confirm">
          {asked ? (
            <>
              <p data-testid="requeue-asks">
                <strong>{ops.requeueRuns(asked.length)}</strong> <span dir="auto">{visible(causes(asked).join(", "))}</span>, {ops.requeueAbout(new Set(asked.map(({ namespace, threadId }) => `${namespace} ${threadId}`)).size)}
              </p>
              <div className="actions">
                <button type="button" className="primary" data-testid="requeue-send" disabled={sending} onClick={() => void send()}>
                  {sending ? ops.requeueing(results.length, asked.length) : ops.requeueCount(asked.length)}
                </button>
                <button type="button" data-edits disabled={sending} onClick={() => ask(undefined)}>
                  {ops.back}
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
              {ops.requeueShown(ready.length)}
            </button>
          )}
        </Guarded>
      )}
      {!sending && results.length > 0 && (
        <div role="status" data-testid="requeue-results">
          <p className="hint">
            {ops.requeued(results.length - refused.length, results.length)}
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
      {items.length > 0 && <RunTable runs={withTitles(items)} act={actHere} across />}
      <Pager place={letters.place} of={ops.ofDead} />
    </section>
  );
}

function noneWords({ partial }: Page<RunInfo>, place: Place): string {
  if (partial) return ops.partialSome;
  if (place.back) return ops.noneLeftHere;
  return ops.noDead;
}
