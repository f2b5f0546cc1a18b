import { usePolled, type InboxItem, type Page } from "../server/api";
import { at } from "../lib/base";
import { isRefused, Unread } from "./Backlog";
import { oldestWords } from "./backlogs";
import { Figure } from "./StoreSection";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

/** How many threads wait for people, and how long the first of them has. */
export function QuestionsSection() {
  const { data: totals, error } = usePolled<{ total: number }>("/inbox/totals", EVERY_MS);
  const { data: oldest } = usePolled<Page<InboxItem>>("/inbox?limit=1", EVERY_MS);
  if (isRefused({ error })) return null;
  return (
    <section aria-labelledby="questions">
      <h2 id="questions" title={ops.questionsAbout}>
        {ops.questions}
      </h2>
      <Unread error={error} shown={totals !== undefined} />
      {totals && (
        <dl className="counts" data-testid="questions">
          <Figure name={ops.open} value={String(totals.total)} href={at("/inbox")} />
          {totals.total > 0 && <Figure name={ops.oldest} value={oldestWords(oldest)} href={at("/inbox")} />}
        </dl>
      )}
    </section>
  );
}
