import type { ApiError, InboxItem, Page } from "../server/api";
import { sentence, staleWords } from "../lib/words";
import { words } from "../words";
import { inbox } from "../words/inbox";

/** What went wrong with the list. */
export function InboxFault({ error, everywhere, shown }: { error: ApiError; everywhere: boolean; shown: boolean }) {
  return (
    <p className="banner" role="alert" data-testid="inbox-error">
      {faultWords(error, everywhere, shown)}
    </p>
  );
}

/** What the list lacks, or that nothing is in it. */
export function InboxNotes({ data, failed, empty, filtered }: { data?: Page<InboxItem>; failed: boolean; empty: boolean; filtered: boolean }) {
  return (
    <>
      {data?.partial && (
        <p className="banner" role="status" data-testid="inbox-partial">
          {inbox.partialWaits}
        </p>
      )}
      {!data && !failed && <p className="hint center">{words.app.loading}</p>}
      {data && empty && (
        <p className="hint center" data-testid="inbox-empty">
          {data.next
            ? inbox.noneHere
            : filtered
              ? inbox.noneFits
              : inbox.noneWaits}
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
