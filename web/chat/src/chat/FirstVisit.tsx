import { lazy, Suspense } from "react";
import { at } from "../lib/base";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { onLink } from "../lib/route";
import { useMay } from "../server/who";
import { parts, words } from "../words";

const Steps = lazy(() => part(() => import("./Steps")));

const KEY = "aguiws:next-step";

/** Whether somebody has said yes in this browser. What cannot be remembered counts as said. */
export function everYes(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return true;
  }
}

/** Whether somebody says yes for the first time in this browser. It is remembered, so that the answer is yes once. */
export function firstYes(): boolean {
  if (everYes()) return false;
  try {
    localStorage.setItem(KEY, "seen");
    return true;
  } catch {
    return false;
  }
}

/** Where to look after a first approval, as far as the viewer may look there. */
export function NextStep({ away }: { away: () => void }) {
  const answers = useMay("read", "approver", "admin");
  const operates = useMay("admin");
  if (!answers) return null;
  return (
    <p className="hint next-step" data-testid="next-step">
      <span>
        {words.chat.nextStep}{" "}
        <a href={at("/inbox")} onClick={onLink}>
          {words.bar.inbox}
        </a>
        {operates && (
          <>
            {" · "}
            {words.chat.orSee}{" "}
            <a href={at("/ops")} onClick={onLink}>
              {words.bar.operator}
            </a>
          </>
        )}
      </span>
      <button type="button" className="quiet" aria-label={words.chat.dismissNotice} title={words.chat.dismiss} data-testid="next-step-dismiss" onClick={away}>
        ×
      </button>
    </p>
  );
}

/** The steps of a first visit, folded: they are for whoever may start and kill the server. */
export function Path({ durable, begun }: { durable: boolean; begun: boolean }) {
  if (!useMay("admin")) return null;
  return (
    <details className="path" data-testid="path">
      <summary>{words.chat.steps}</summary>
      <OrElse instead={<p className="fault">{parts.answer.notLoaded}</p>}>
        <Suspense>
          <Steps durable={durable} begun={begun} />
        </Suspense>
      </OrElse>
    </details>
  );
}
