import { at } from "../lib/base";
import { onLink } from "../lib/route";
import { useMay } from "../server/who";
import { words } from "../words";

const KEY = "aguiws:next-step";

/** Whether somebody says yes for the first time in this browser. It is remembered, so that the answer is yes once. */
export function firstYes(): boolean {
  try {
    const before = localStorage.getItem(KEY);
    localStorage.setItem(KEY, "seen");
    return before === null;
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
