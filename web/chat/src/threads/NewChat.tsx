import { Icon } from "../../../react/lib/Icon";
import { words } from "../words";

/** Begins a chat: at the head of the list where that is in sight, and else in the bar. */
export function NewChat({ begin, quiet }: { begin: () => void; quiet?: boolean }) {
  return (
    <button type="button" className={quiet ? "quiet" : undefined} data-testid="new-chat" title={words.chat.newChat} onClick={begin}>
      <Icon name="plus" />
      <span className="words">{words.chat.newChat}</span>
    </button>
  );
}
