import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { locale, words } from "../words";

/** How far above what is seen the first message may be when those before it are asked for. */
const AHEAD = "800px 0px 0px 0px";

interface Props {
  /** How many messages stand before the first that is held. */
  count: number;
  /** The id of that one. */
  first: string | undefined;
  /** A run is in progress. */
  running: boolean;
  /** Answers whether they were asked for. */
  ask: () => boolean;
}

/** The way to the messages before those that are held: they come when somebody goes up to them. */
export function Older({ count, first, running, ask }: Props) {
  /** What stood first when they were asked for. */
  const [before, setBefore] = useState<string>();
  const fetch = () => {
    if (ask()) setBefore(first);
  };
  const box = useRef<HTMLDivElement>(null);
  const last = useRef(fetch);
  last.current = fetch;
  const waits = count > 0;
  useEffect(() => {
    if (!waits || !box.current) return;
    // Another observer for each page: one that stays in sight tells nothing.
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && scrollY > 0 && last.current(), { rootMargin: AHEAD });
    seen.observe(box.current);
    return () => seen.disconnect();
  }, [waits, first]);
  const height = useRef(0);
  useLayoutEffect(() => {
    const { scrollHeight } = document.documentElement;
    // Browsers keep what is seen where it is, but not at the very top.
    if (height.current > 0 && scrollY === 0) scrollTo({ top: scrollHeight - height.current, behavior: "instant" });
    return () => {
      height.current = document.documentElement.scrollHeight;
    };
  }, [first]);
  // They are not put before what a run is about to change.
  const held = running && first !== undefined && before === first;
  if (!waits && !held) return null;
  return (
    <div ref={box} className="actions center">
      {waits && (
        <button type="button" className="quiet" data-testid="older" onClick={fetch}>
          {words.chat.showEarlier(count.toLocaleString(locale))}
        </button>
      )}
      {held && (
        <span className="hint" role="status" data-testid="older-held">
          {words.chat.olderHeld}
        </span>
      )}
    </div>
  );
}
