import { useEffect } from "react";
import { at } from "../lib/base";
import { goInstead, onLink } from "../lib/route";
import { call, type ApiError, type Page, type ThreadInfo } from "../server/api";
import { useMay } from "../server/who";
import { words } from "../words";

/** In the place of a chat that an address named, and that the server has nothing of. */
export function NoSuchChat({ begin }: { begin?: () => void }) {
  return (
    <section className="empty" aria-label={words.chat.noSuchChat} data-testid="no-such-chat">
      <h2>{words.chat.noSuchChat}</h2>
      {begin && (
        <div className="actions">
          <button type="button" className="primary" onClick={begin}>
            {words.chat.newChat}
          </button>
        </div>
      )}
    </section>
  );
}

/** Leads to the inbox who may answer and has no chat to look at: nothing could be begun here. */
export function useAnswerer(beginsNothing: boolean): void {
  const leaves = useMay("approver") === true && beginsNothing;
  useEffect(() => {
    if (!leaves) return;
    let left = false;
    const none = () => left || goInstead(at("/inbox"));
    // A chat that may not be read is none.
    call<Page<ThreadInfo>>("GET", "/threads?limit=1").then(({ items }) => items.length > 0 || none(), ({ status }: ApiError) => status === 403 && none());
    return () => {
      left = true;
    };
  }, [leaves]);
}

/** In the place where others write, for those who may not. */
export function MayNotWrite() {
  const answers = useMay("approver", "admin");
  return (
    <p className="hint may-not-write" data-testid="may-not-write">
      {answers ? words.chat.mayAnswer : words.chat.mayRead}{" "}
      {answers && (
        <a href={at("/inbox")} onClick={onLink}>
          {words.bar.inbox}
        </a>
      )}
    </p>
  );
}
