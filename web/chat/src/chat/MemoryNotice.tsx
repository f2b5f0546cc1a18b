import { useDismissal } from "../lib/dismissal";
import { words } from "../words";
import { en } from "../words/en";

/** What to do about it, as whoever serves the page put it there, or else in the page's words: those of the command are the same. */
function advice(): string {
  const said = document.querySelector<HTMLMetaElement>('meta[name="aguiws:keep"]')?.content;
  return said && said !== en.chat.keepAdvice ? said : words.chat.keepAdvice;
}

/** One line that says that what is kept ends with the server; put away, it stays away in this browser. */
export function MemoryNotice() {
  const [away, dismiss] = useDismissal("aguiws:memory-notice");
  if (away) return null;
  return (
    <div className="banner memory-notice" role="status" data-testid="durable-banner">
      <p>{words.chat.inMemory} {advice()}</p>
      <button type="button" className="quiet" aria-label={words.chat.dismissNotice} title={words.chat.dismiss} data-testid="durable-dismiss" onClick={dismiss}>
        ×
      </button>
    </div>
  );
}
