import { useState } from "react";
import { words } from "../words";
import { en } from "../words/en";

const KEY = "aguiws:memory-notice";

/** What to do about it, as whoever serves the page put it there, or else in the page's words: those of the command are the same. */
function advice(): string {
  const said = document.querySelector<HTMLMetaElement>('meta[name="aguiws:keep"]')?.content;
  return said && said !== en.chat.keepAdvice ? said : words.chat.keepAdvice;
}

function dismissed(): boolean {
  try {
    return localStorage.getItem(KEY) === "dismissed";
  } catch {
    return false;
  }
}

/** One line that says that what is kept ends with the server; put away, it stays away in this browser. */
export function MemoryNotice() {
  const [away, putAway] = useState(dismissed);
  if (away) return null;
  const dismiss = () => {
    putAway(true);
    try {
      localStorage.setItem(KEY, "dismissed");
    } catch {
      // It is away until the reload.
    }
    // The button that was pressed is gone.
    document.querySelector<HTMLElement>('[data-testid="composer"]')?.focus();
  };
  return (
    <div className="banner memory-notice" role="status" data-testid="durable-banner">
      <p>{words.chat.inMemory} {advice()}</p>
      <button type="button" className="quiet" aria-label={words.chat.dismissNotice} title={words.chat.dismiss} data-testid="durable-dismiss" onClick={dismiss}>
        ×
      </button>
    </div>
  );
}
