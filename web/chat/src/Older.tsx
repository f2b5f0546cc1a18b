import { useEffect, useLayoutEffect, useRef } from "react";

/** How far above what is seen the first message may be when those before it are asked for. */
const AHEAD = "800px 0px 0px 0px";

interface Props {
  /** How many messages stand before the first that is held. */
  count: number;
  /** The id of that one. */
  first: string | undefined;
  ask: () => void;
}

/** The way to the messages before those that are held: they come when somebody goes up to them. */
export function Older({ count, first, ask }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef(ask);
  last.current = ask;
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
  if (!waits) return null;
  return (
    <div ref={box} className="actions center">
      <button type="button" className="quiet" data-testid="older" onClick={ask}>
        {count.toLocaleString("en")} earlier {count === 1 ? "message" : "messages"}
      </button>
    </div>
  );
}
