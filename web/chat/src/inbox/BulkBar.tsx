import { useEffect, useId, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { InboxItem } from "../server/api";
import { among, callsOf, MOST, questionsKey, toolsOf, type Bulk, type Result, type Way } from "./bulk";
import { Guarded, uncovered } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { sentence, wordsFor } from "../lib/words";
import { words } from "../words";
import { inbox } from "../words/inbox";

interface Props {
  bulk: Bulk;
  /** What can be chosen, of what is shown. */
  offered: readonly InboxItem[];
  /** That is all there is; else some of it may be there and not be known. */
  whole: boolean;
  chosen: readonly InboxItem[];
  choose: (items: readonly InboxItem[]) => void;
  /** Hears what became of some. */
  heard: (way: Way, results: readonly Result[]) => void;
}

/** Answers several threads at once: what is chosen, what will happen, and what has. */
export function BulkBar({ bulk, offered, whole, chosen, choose, heard }: Props) {
  const { way, items, state, fault, results } = useSyncExternalStore(bulk.watch, bulk.look);
  const box = useRef<HTMLElement>(null);
  const asks = useId();
  const asking = state !== "idle";
  const nothing = offered.length < 2 && chosen.length === 0 && !asking && results.length === 0 && !fault;
  useLayoutEffect(() => {
    if (whole) bulk.keep(offered);
  }, [bulk, offered, whole]);
  useEffect(() => () => bulk.clear(), [bulk]);
  // Where its buttons were there may be a card's now.
  useLayoutEffect(uncovered, [asking]);
  useLayoutEffect(() => {
    if (nothing) uncovered();
  }, [nothing]);
  const asked = useRef(asking);
  useEffect(() => {
    if (asked.current === asking) return;
    asked.current = asking;
    // The buttons that were there are not.
    if (document.activeElement === document.body || box.current?.contains(document.activeElement)) box.current?.focus({ preventScroll: true });
  }, [asking]);
  if (nothing) return null;
  const yes = way === "approve";
  const refused = results.filter(({ error }) => error);
  const done = (yes ? inbox.bulk.approved : inbox.bulk.declined)(results.length - refused.length);
  // A list that is on its way may have others.
  const hidden = state === "asking" && among(new Set(items.map(questionsKey)), offered).size < items.length;
  const send = async () => heard(way, await bulk.send());
  return (
    <section
      ref={box}
      className="bulk"
      tabIndex={-1}
      aria-label={inbox.bulk.several}
      aria-describedby={asking ? asks : undefined}
      data-testid="bulk"
      data-state={state}
      onKeyDown={(event) => {
        if (event.key === "Escape" && state === "asking") bulk.leave();
      }}
    >
      {asking ? (
        <Guarded fixed subject={`${way} ${items.map(({ threadId }) => threadId).join()}`} className="confirm">
          <p id={asks} data-testid="bulk-asks">
            <strong>
              {(yes ? inbox.bulk.approveAsks : inbox.bulk.declineAsks)(items.length)}
            </strong>{" "}
            {callsOf(items).map(([tool, count]) => `${tool ? visible(tool) : inbox.bulk.noCall} × ${count}`).join(", ")}. {yes ? inbox.bulk.approveMeans : inbox.bulk.declineMeans} {inbox.bulk.each}
          </p>
          {state === "unanswered" && fault && (
            <p className="fault" role="alert" data-testid="bulk-unanswered">
              {inbox.bulk.unknown(wordsFor(fault.code).title, items.length)}
            </p>
          )}
          <div className="actions">
            <button type="button" className="primary" data-testid="bulk-send" disabled={state === "sending" || hidden} onClick={() => void send()}>
              {state === "sending" ? words.chat.sending : state === "unanswered" ? words.chat.sendAgain : (yes ? inbox.bulk.approve : inbox.bulk.decline)(items.length)}
            </button>
            <button type="button" data-edits data-testid="bulk-leave" disabled={state === "sending"} onClick={() => bulk.leave()}>
              {state === "unanswered" ? inbox.bulk.leave : inbox.bulk.back}
            </button>
          </div>
        </Guarded>
      ) : (
        offered.length > 0 && (
          <div className="actions">
            <label className="filter">
              <span className="hint">{inbox.bulk.select}</span>
              <select
                value=""
                data-testid="bulk-select"
                onChange={(event) => {
                  const [what, tool] = event.target.value.split(/:(.*)/s);
                  const some = what === "none" ? [] : what === "tool" ? offered.filter((one) => toolsOf([one]).some(([name]) => name === tool)) : offered;
                  choose(some.slice(0, MOST));
                }}
              >
                <option value="">{chosen.length === 0 ? inbox.bulk.severalMore : inbox.bulk.selected(chosen.length)}</option>
                <option value="all">{inbox.bulk.allShown(offered.length)}</option>
                {toolsOf(offered).map(([tool, count]) => (
                  <option key={tool} value={`tool:${tool}`}>
                    {visible(tool)} ({count})
                  </option>
                ))}
                <option value="none">{inbox.bulk.none}</option>
              </select>
            </label>
            <button type="button" data-testid="bulk-approve" disabled={chosen.length === 0} onClick={() => bulk.propose("approve", chosen)}>
              {inbox.bulk.approveMore(chosen.length)}
            </button>
            <button type="button" data-testid="bulk-decline" disabled={chosen.length === 0} onClick={() => bulk.propose("decline", chosen)}>
              {inbox.bulk.declineMore(chosen.length)}
            </button>
          </div>
        )
      )}
      <div className="results" data-testid="bulk-results" {...(refused.length > 0 && { tabIndex: 0, role: "group", "aria-label": inbox.bulk.results })}>
        <div role="status">
          {state === "idle" && fault && (
            <p className="fault">
              {inbox.bulk.noneAnswered(`${wordsFor(fault.code).title}: ${sentence(fault.message)} ${wordsFor(fault.code).advice}`)}
            </p>
          )}
          {results.length > 0 && (
            <p>
              {refused.length > 0 ? inbox.bulk.refused(done, refused.length) : done}.
            </p>
          )}
          {refused.length > 0 && (
            <ul>
              {refused.map(({ item, error }) => (
                <li key={`${item.namespace} ${item.threadId}`} className="fault">
                  {visible(item.title || words.threads.untitled)}: {refusalWords(error!)}
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </section>
  );
}

/** Why one was refused. */
export function refusalWords({ code, detail }: NonNullable<Result["error"]>): string {
  return `${wordsFor(code).title}. ${sentence(detail)} ${wordsFor(code).advice}`;
}
