import { lazy, Suspense } from "react";
import type { Ended } from "../decision/record";
import type { Notice, Remedy } from "./chat";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { stringify } from "../../../react/lib/json";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { isForbidden, saidBy, wordsFor } from "../lib/words";
import { useMay } from "../server/who";
import { words } from "../words";

const remedies = (): Record<Remedy, string> => ({ hide: words.chat.dismiss, attach: words.chat.tryAgain, connect: words.chat.connectAgain });

const RunReference = lazy(() => part(() => import("./RunReference")));

interface Props {
  threadId: string;
  /** The turn that it has ended. */
  ended?: Ended;
  failure: Notice;
  remedy: Remedy;
  dismiss: () => void;
  /** Asks anew what the turn was asked that failed. */
  retry?: () => void;
}

export function ErrorNotice({ threadId, ended, failure, remedy, dismiss, retry }: Props) {
  const { title, advice } = wordsFor(failure.code);
  const { run } = saidBy(failure);
  const writes = useMay("run");
  const fields = failure.details?.fields;
  return (
    <div className="error" role="alert" data-testid="error" data-code={failure.code}>
      <div>
        <strong>{run === undefined ? title : words.errors.unknown.title}</strong>
        {run === undefined && !isForbidden(failure.code) && <p className="said">{failure.message}</p>}
        {fields !== undefined && <pre tabIndex={0}>{stringify(fields, 2)}</pre>}
        {writes !== false && <p>{advice}</p>}
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
        <button type="button" className="quiet" data-testid="dismiss-error" data-remedy={remedy} onClick={dismiss}>
          {remedies()[remedy]}
        </button>
      </div>
    </div>
  );
}
