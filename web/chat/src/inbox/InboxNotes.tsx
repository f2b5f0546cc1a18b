import { Ago } from "../../../react/lib/Ago";
import { visible } from "../../../react/lib/misleading";
import { type ApiError, type DecisionInfo, type InboxItem, type Page, usePolled } from "../server/api";
import { ofDecisions } from "../server/notices";
import { sentence, staleWords } from "../lib/words";
import { words } from "../words";
import { inbox } from "../words/inbox";

/** How often it is asked what was answered last where no notices come, in milliseconds. */
const EVERY_MS = 10_000;

/** What went wrong with the list. */
export function InboxFault({ error, everywhere, shown }: { error: ApiError; everywhere: boolean; shown: boolean }) {
  return (
    <p className="banner" role="alert" data-testid="inbox-error">
      {faultWords(error, everywhere, shown)}
    </p>
  );
}

interface Notes {
  data?: Page<InboxItem>;
  failed: boolean;
  empty: boolean;
  /** What it is filtered by, in words; none: it is not. */
  filters: readonly string[];
  clear: () => void;
}

/** What the list lacks, or that nothing is in it. */
export function InboxNotes({ data, failed, empty, filters, clear }: Notes) {
  return (
    <>
      {data?.partial && (
        <p className="banner" role="status" data-testid="inbox-partial">
          {inbox.partialWaits}
        </p>
      )}
      {!data && !failed && <p className="hint center">{words.app.loading}</p>}
      {data && empty && (
        <div className="inbox-empty" data-testid="inbox-empty">
          {filters.length > 0 ? (
            <>
              <p>{data.next ? inbox.noneHere : inbox.noneFits(filters.join(", "))}</p>
              <button type="button" data-testid="inbox-clear" onClick={clear}>
                {inbox.clearFilters}
              </button>
            </>
          ) : data.next ? (
            <p>{inbox.noneHere}</p>
          ) : (
            <NothingWaits />
          )}
        </div>
      )}
    </>
  );
}

/** The end of the list, and when it was last worked on. */
function NothingWaits() {
  const { data } = usePolled<Page<DecisionInfo>>("/decisions?limit=1&status=resolved", EVERY_MS, ofDecisions);
  const last = data?.items[0];
  return (
    <>
      <p>
        <strong>{inbox.noneWaits}</strong>
      </p>
      <p className="hint">{inbox.comesHere}</p>
      {last && (
        <p className="hint" data-testid="inbox-last">
          {inbox.lastAnswered} <Ago at={last.at} />
          {last.user !== undefined && ` ${inbox.lastBy(visible(last.user))}`}
        </p>
      )}
    </>
  );
}

function faultWords(error: ApiError, everywhere: boolean, shown: boolean): string {
  if (error.status === 403) {
    return everywhere
      ? inbox.notTenants
      : inbox.notInbox;
  }
  return error.status === 400 ? sentence(error.message) : staleWords(error, shown);
}
