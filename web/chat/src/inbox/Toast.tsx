import { useSyncExternalStore } from "react";
import { ApiError } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { HELD_MS, type Held } from "./held";
import { Seconds } from "./Seconds";
import { wordsFor } from "../lib/words";
import { words } from "../words";
import { inbox } from "../words/inbox";

/** What was done last, for as long as it can be taken back and a moment longer, and what of it was not taken. It lies over what is there, and moves nothing. */
export function Toast({ held: answers, undo }: { held: Held; undo: () => void }) {
  const { waiting, told, fault } = useSyncExternalStore(answers.watch, answers.look);
  const { error } = fault ?? {};
  const latest = waiting.at(-1);
  const count = waiting.reduce((sum, { given }) => sum + given.items.length, 0);
  const said = (seconds: number) => (waiting.length > 1 ? inbox.answersWait(count, seconds) : inbox.sentSoon(latest!.given.text, count, seconds));
  const code = error instanceof ApiError ? error.code : "client";
  return (
    <>
      {fault && (
        <div className="toast fault" role="alert" data-testid="error" data-code={code}>
          <div>
            <strong>{inbox.notTaken(fault.given.text)}</strong>
            <p className="said">
              {wordsFor(code).title}. {error instanceof ApiError ? error.message : String(error)}
            </p>
            <p>{wordsFor(code).advice}</p>
          </div>
          <Guarded subject={code} className="actions">
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
