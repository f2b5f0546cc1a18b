import { useSyncExternalStore } from "react";
import { ago } from "./time.js";
import { useStrings } from "./words.js";

/** How often the words are looked at again, for all of them at once, in milliseconds. */
const EVERY_MS = 30_000;

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => watchers.forEach((one) => one()), EVERY_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** How long ago something was, as time goes by, and on hover when; nothing where that is not known. */
export function Ago({ at }: { at: string | undefined }) {
  const strings = useStrings();
  const said = () => ago(at, Date.now(), strings);
  const words = useSyncExternalStore(watch, said, said);
  if (at === undefined || words === "") return null;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(strings.locale)}>
      {words}
    </time>
  );
}
