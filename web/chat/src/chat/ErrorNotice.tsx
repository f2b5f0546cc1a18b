import type { Notice, Remedy } from "./chat";
import { at } from "../lib/base";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { stringify } from "../../../react/lib/json";
import { Copy } from "../lib/Copy";
import { onLink } from "../lib/route";
import { saidBy, wordsFor } from "../lib/words";
import { useMe } from "../server/who";
import { words } from "../words";

const remedies = (): Record<Remedy, string> => ({ hide: words.chat.dismiss, attach: words.chat.tryAgain, connect: words.chat.connectAgain });

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
  const me = useMe();
  const fields = failure.details?.fields;
  return (
    <div className="error" role="alert" data-testid="error" data-code={failure.code}>
      <div>
        <strong>{title}</strong>
        {run === undefined && <p className="said">{failure.message}</p>}
        {fields !== undefined && <pre tabIndex={0}>{stringify(fields, 2)}</pre>}
        <p>{advice}</p>
        {run !== undefined && (
          <details data-testid="error-details">
            <summary>{words.chat.errorDetails}</summary>
            <p className="said">
              {failure.message} <Copy text={failure.message} label={words.chat.copyDetails} hook="copy-error" />
            </p>
            {(!me || me.scopes.includes("admin")) && (
              <a href={at(`/ops/runs?run=${encodeURIComponent(run)}`)} data-testid="error-run" onClick={onLink}>
                {words.chat.seeRun}
              </a>
            )}
          </details>
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
