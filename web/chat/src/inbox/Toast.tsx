import { useSyncExternalStore } from "react";
import { ApiError } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { countOf } from "./bulk";
import { HELD_MS, type Held } from "./held";
import { Seconds } from "./Seconds";
import { wordsFor } from "../lib/words";
import { words } from "../words";
import { inbox } from "../words/inbox";

/** What was done last, for as long as it can be taken back and a moment longer, and what of it was not taken. It lies over what is there, and moves nothing. */
export function Toast({ held: answers, undo }: { held: Held; undo: () => void }) {
  const { waiting, told, faults } = useSyncExternalStore(answers.watch, answers.look);
  const last = faults.at(-1);
  const latest = waiting.at(-1);
  const count = waiting.reduce((sum, { given }) => sum + countOf(given.items), 0);
  const said = (seconds: number) => (waiting.length > 1 ? inbox.answersWait(count, seconds) : inbox.sentSoon(latest!.given.text, count, seconds));
  // The same is said once.
  const why = new Map(faults.map(({ error }) => (error instanceof ApiError ? [error.code, error.message] : ["client", String(error)])));
  const codes = [...why.keys()].join(" ");
  return (
    <>
      {last && (
        <div className="toast fault" role="alert" data-testid="error" data-code={codes}>
          <div>
            <strong>{faults.length > 1 ? inbox.noneTaken(faults.reduce((sum, { given }) => sum + given.items.length, 0)) : inbox.notTaken(last.given.text)}</strong>
            {[...why].map(([code, message]) => (
              <div key={code}>
                <p className="said">
                  {wordsFor(code).title}. {message}
                </p>
                <p>{wordsFor(code).advice}</p>
              </div>
            ))}
          </div>
          <Guarded subject={`${codes} ${faults.length}`} className="actions">
            <button type="button" data-testid="retry" onClick={() => void answers.again()}>
              {words.chat.sendAgain}
            </button>
            <button type="button" className="quiet" data-edits onClick={() => answers.leave()}>
              {inbox.dismiss}
            </button>
          </Guarded>
        </div>
      )}
      <div role="status">
        {(latest || told) && (
          <div className="toast" data-testid="inbox-said" data-held={latest !== undefined}>
            <p dir="auto">
              {told}
              {told && latest && <br />}
              {latest && <Seconds until={waiting[0]!.at} words={said} />}
              {latest && <span className="visually-hidden">{said(HELD_MS / 1_000)}</span>}
            </p>
            {latest && (
              <button type="button" data-testid="inbox-undo" title={latest.given.text} onClick={undo}>
                {inbox.undo}
              </button>
            )}
          </div>
        )}
      </div>
    </>
  );
}
