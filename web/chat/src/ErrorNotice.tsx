import type { Notice } from "./chat";
import { wordsFor } from "./words";

export function ErrorNotice({ failure, dismiss }: { failure: Notice; dismiss: () => void }) {
  const { title, advice } = wordsFor(failure.code);
  const fields = failure.details?.fields;
  return (
    <div className="error" role="alert" data-testid="error" data-code={failure.code}>
      <div>
        <strong>{title}</strong>
        <p className="said">{failure.message}</p>
        {fields !== undefined && <pre tabIndex={0}>{JSON.stringify(fields, null, 2)}</pre>}
        <p>{advice}</p>
      </div>
      <button type="button" className="quiet" data-testid="dismiss-error" onClick={dismiss}>
        {isClose(failure.code) ? "Connect again" : "Dismiss"}
      </button>
    </div>
  );
}

/** Codes of a connection that was given up. */
function isClose(code: string): boolean {
  return /^\d{4}$/.test(code) || code === "no_credential" || code === "unknown_binding";
}
