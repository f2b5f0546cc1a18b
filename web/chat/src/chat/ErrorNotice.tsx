import { lazy, Suspense } from "react";
import type { Ended } from "../decision/record";
import type { Notice, Remedy } from "./chat";
import { Ago } from "../../../react/lib/Ago";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { stringify } from "../../../react/lib/json";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { isForbidden, saidBy, wordsFor } from "../lib/words";
import { useMay } from "../server/who";
import { words } from "../words";

const remedies = (): Record<Remedy, string> => ({ hide: words.chat.dismiss, attach: words.chat.tryAgain, connect: words.chat.connectAgain });

const RunReference = lazy(() => part(() => import("../server/RunReference")));

const FailedBefore = lazy(() => part(() => import("../decision/FailedBefore")));

/** How often a turn has failed by now, and when it last did; nothing the first time. */
export function Times({ of: { earlier = [], on } }: { of: Ended }) {
  if (earlier.length === 0) return null;
  return (
    <span className="times" data-testid="failed-times">
      <span className="tag late">{words.chat.times(earlier.length + 1)}</span> {on !== undefined && <Ago at={new Date(on).toISOString()} />}
    </span>
  );
}

/** Whether a turn fails in the same way each time, so that doing it once more is no advice. */
export function failsAlike(earlier: readonly Ended[], code: string): boolean {
  return earlier.length > 0 && earlier.every((end) => end.code === code);
}

interface Props {
  threadId: string;
  /** The turn that it has ended. */
  ended?: Ended;
  failure: Notice;
  remedy: Remedy;
  dismiss: () => void;
  /** Asks anew what the turn was asked that failed. */
  retry?: () => void;
  /** Begins to change that. */
  change?: () => void;
}

export function ErrorNotice({ threadId, ended, failure, remedy, dismiss, retry, change }: Props) {
  const { title, advice } = wordsFor(failure.code);
  const { run } = saidBy(failure);
  const writes = useMay("run");
  const again = ended?.earlier ?? [];
  const same = failsAlike(again, failure.code);
  const fields = failure.details?.fields;
  return (
    <div className="error" role="alert" data-testid="error" data-code={failure.code}>
      <div>
        <strong>{run === undefined ? title : words.errors.unknown.title}</strong> {ended && <Times of={ended} />}
        {run === undefined && !isForbidden(failure.code) && <p className="said">{failure.message}</p>}
        {fields !== undefined && <pre tabIndex={0}>{stringify(fields, 2)}</pre>}
        {writes !== false && !same && <p>{advice}</p>}
        {again.length > 0 && (
          <OrElse instead={null}>
            <Suspense>
              <FailedBefore earlier={again} same={writes !== false && same} />
            </Suspense>
          </OrElse>
        )}
        {(run !== undefined || ended) && (
          <OrElse instead={null}>
            <Suspense>
              <RunReference threadId={threadId} runId={ended?.runId} run={run ?? ended?.run} />
            </Suspense>
          </OrElse>
        )}
      </div>
      <div className="actions">
        {retry && (
          <Guarded subject={failure.message}>
            <button type="button" data-testid="retry-turn" onClick={retry}>
              <Icon name="retry" /> {words.chat.tryAgain}
            </button>
          </Guarded>
        )}
        {retry && change && again.length > 0 && (
          <button type="button" data-testid="change-asked" onClick={change}>
            <Icon name="pen" /> {words.chat.edit}
          </button>
        )}
        <button type="button" className="quiet" data-testid="dismiss-error" data-remedy={remedy} onClick={dismiss}>
          {remedies()[remedy]}
        </button>
      </div>
    </div>
  );
}
