import type { Notice, Remedy } from "./chat";
import { at } from "../lib/base";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { stringify } from "../../../react/lib/json";
import { Copy } from "../lib/Copy";
import { onLink } from "../lib/route";
import { isForbidden, saidBy, wordsFor } from "../lib/words";
import { useMay } from "../server/who";
import { words } from "../words";

const remedies = (): Record<Remedy, string> => ({ hide: words.chat.dismiss, attach: words.chat.tryAgain, connect: words.chat.connectAgain });

/** So much of a run's id is shown, in characters: the whole is copied. */
const REFERENCE = 8;

interface Props {
  failure: Notice;
  remedy: Remedy;
  dismiss: () => void;
  /** Asks anew what the turn was asked that failed. */
  retry?: () => void;
}

export function ErrorNotice({ failure, remedy, dismiss, retry }: Props) {
  const { title, advice } = wordsFor(failure.code);
  const { run } = saidBy(failure);
  const writes = useMay("run");
  const operates = useMay("admin");
  const fields = failure.details?.fields;
  return (
    <div className="error" role="alert" data-testid="error" data-code={failure.code}>
      <div>
        <strong>{run === undefined ? title : words.errors.unknown.title}</strong>
        {run === undefined && !isForbidden(failure.code) && <p className="said">{failure.message}</p>}
        {fields !== undefined && <pre tabIndex={0}>{stringify(fields, 2)}</pre>}
        {writes !== false && <p>{advice}</p>}
        {run !== undefined && (
          <p className="reference" data-testid="error-reference">
            {words.chat.reference} <code title={run}>{run.slice(0, REFERENCE)}…</code> <Copy text={run} label={words.chat.copyReference} hook="copy-error" />
            {operates && (
              <a href={at(`/ops/runs?run=${encodeURIComponent(run)}`)} data-testid="error-run" onClick={onLink}>
                {words.chat.seeRun}
              </a>
            )}
          </p>
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
