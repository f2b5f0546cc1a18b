import type { Place } from "./pages";
import { words } from "../words";

/** The ways through a list of several pages; nothing for one that has only one. `of` says of what. */
export function Pager({ place, of }: { place: Place; of: string }) {
  const { page, back, on } = place;
  if (!back && !on) return null;
  return (
    <nav className="actions center" aria-label={words.server.pagesOf(of)} data-testid="pager">
      <button type="button" data-testid="page-back" disabled={!back} onClick={back}>
        {words.server.previous}
      </button>
      <span className="hint" role="status">
        {words.server.page(page)}
      </span>
      <button type="button" data-testid="page-on" disabled={!on} onClick={on}>
        {words.server.next}
      </button>
    </nav>
  );
}
