import { at } from "../lib/base";
import { onLink } from "../lib/route";
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
