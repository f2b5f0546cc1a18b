import { usePolled, type InboxItem, type Page } from "../server/api";
import { Unread } from "./Backlog";
import { oldestWords } from "./backlogs";
import { Figure } from "./StoreSection";
import { onLink } from "../lib/route";

const EVERY_MS = 5_000;

/** How many threads wait for people, and how long the first of them has. */
export function QuestionsSection() {
  const { data: totals, error } = usePolled<{ total: number }>("/inbox/totals", EVERY_MS);
  const { data: oldest } = usePolled<Page<InboxItem>>("/inbox?limit=1", EVERY_MS);
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Open questions</h2>
      <p className="hint">
        Threads of the whole tenant that wait for people. The <a href="/inbox" onClick={onLink}>inbox</a> has them, the one that has waited longest first.
      </p>
      <Unread error={error} shown={totals !== undefined} needs="the scopes read, approver and admin" />
      {totals && (
        <dl className="counts" data-testid="questions">
          <Figure name="Open" value={String(totals.total)} />
          <Figure name="Oldest" value={oldestWords(oldest)} />
        </dl>
      )}
    </section>
  );
}
