import type { Notice, Remedy } from "./chat";
import { stringify } from "./json";
import { wordsFor } from "./words";

const REMEDIES: Record<Remedy, string> = { hide: "Dismiss", attach: "Try again", connect: "Connect again" };

export function ErrorNotice({ failure, remedy, dismiss }: { failure: Notice; remedy: Remedy; dismiss: () => void }) {
  const { title, advice } = wordsFor(failure.code);
  const fields = failure.details?.fields;
  return (
    <div className="error" role="alert" data-testid="error" data-code={failure.code}>
      <div>
        <strong>{title}</strong>
        <p className="said">{failure.message}</p>
        {fields !== undefined && <pre tabIndex={0}>{stringify(fields, 2)}</pre>}
        <p>{advice}</p>
      </div>
      <button type="button" className="quiet" data-testid="dismiss-error" data-remedy={remedy} onClick={dismiss}>
        {REMEDIES[remedy]}
      </button>
    </div>
  );
}
