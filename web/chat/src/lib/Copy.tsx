import { useEffect, useState } from "react";
import { Icon } from "../../../react/lib/Icon";
import { words } from "../words";

/** How long it is said that something was copied, in milliseconds. */
const SAID_MS = 2_000;

/** Puts a text into the clipboard, as it was written. Browsers let pages do so over https and on loopback only. */
export function Copy({ text, label, hook }: { text: string; label: string; hook: string }) {
  const [said, say] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => say(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  if (!navigator.clipboard) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say(words.lib.copied),
      () => say(words.lib.notCopied),
    );
  return (
    <>
      <button type="button" className="copy" data-testid={hook} aria-label={said === undefined ? label : undefined} onClick={() => void copy()}>
        <Icon name={said === words.lib.copied ? "check" : "copy"} />
        <span>{said ?? words.lib.copy}</span>
      </button>
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </>
  );
}
