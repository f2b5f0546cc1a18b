import type { ApiError, InboxItem, Page } from "../server/api";
import { sentence, staleWords } from "../lib/words";

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
          A part of the store does not answer: more may wait than is shown.
        </p>
      )}
      {!data && !failed && <p className="hint center">Loading…</p>}
      {data && empty && (
        <p className="hint center" data-testid="inbox-empty">
          {data.next
            ? "No question on this page fits the filters. The next page may have some."
            : filtered
              ? "No question fits the filters."
              : "No question waits for you. Questions of all chats come here by themselves."}
        </p>
      )}
    </>
  );
}

function faultWords(error: ApiError, everywhere: boolean, shown: boolean): string {
  if (error.status === 403) {
    return everywhere
      ? "Your identity may not see all tenants: that needs the scopes admin and tenants."
      : "Your identity may not see the inbox: it needs the scope read or approver.";
  }
  return error.status === 400 ? sentence(error.message) : staleWords(error, shown);
}
