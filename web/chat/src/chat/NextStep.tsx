import { useDismissal } from "../lib/dismissal";
import { at } from "../lib/base";
import { onLink } from "../lib/route";
import { words } from "../words";

/** Where to look after the first approval in this browser; put away, it stays away. */
export function NextStep() {
  const [away, dismiss] = useDismissal("aguiws:next-step");
  if (away) return null;
  return (
    <p className="hint next-step" data-testid="next-step">
      <span>
        {words.chat.nextStep}{" "}
        <a href={at("/inbox")} onClick={onLink}>
          {words.bar.inbox}
        </a>
        , {words.chat.orSee}{" "}
        <a href={at("/ops")} onClick={onLink}>
          {words.bar.operator}
        </a>
        .
      </span>
      <button type="button" className="quiet" data-testid="next-step-dismiss" onClick={dismiss}>
        {words.chat.dismiss}
      </button>
    </p>
  );
}
