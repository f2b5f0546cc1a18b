import { useState } from "react";
import { onLink } from "../lib/route";
import { words } from "../words";

const KEY = "aguiws:next-step";

function dismissed(): boolean {
  try {
    return localStorage.getItem(KEY) === "dismissed";
  } catch {
    return false;
  }
}

/** Where to look after the first approval in this browser; put away, it stays away. */
export function NextStep() {
  const [away, putAway] = useState(dismissed);
  if (away) return null;
  const dismiss = () => {
    putAway(true);
    try {
      localStorage.setItem(KEY, "dismissed");
    } catch {
      // It is away until the reload.
    }
    document.querySelector<HTMLElement>('[data-testid="composer"]')?.focus();
  };
  return (
    <p className="hint next-step" data-testid="next-step">
      <span>
        {words.chat.nextStep}{" "}
        <a href="/inbox" onClick={onLink}>
          {words.bar.inbox}
        </a>
        , {words.chat.orSee}{" "}
        <a href="/ops" onClick={onLink}>
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
