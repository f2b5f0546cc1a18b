import { type ReactNode, useEffect, useRef } from "react";

/** How long a place is kept at least, in milliseconds. */
const KEPT_MS = 2_000;

interface Props {
  /** What was here has gone, and `children` are what is said in its place. */
  gone: boolean;
  /** It is not the one of the list that is shown. */
  hidden?: boolean;
  /** Something else in the list can be acted on. */
  others: boolean;
  /** The place may be given up. */
  leave: () => void;
  children: ReactNode;
}

/**
 * A place in a list, its parent. When what was in it has gone it is kept, as high as it was, for a moment, and beyond it
 * while the pointer is over others of the list: they would move under it.
 */
export function KeptPlace({ gone, hidden, others, leave, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef<number>(undefined);
  // What is gone is still there to be measured while its successor is rendered.
  height.current = gone ? (height.current ?? box.current?.offsetHeight) : undefined;
  const last = useRef(leave);
  last.current = leave;
  useEffect(() => {
    if (!gone) return;
    const list = box.current?.parentElement;
    const left = () => last.current();
    const timer = setTimeout(() => {
      // A finger leaves nothing behind that hovers, but browsers say so.
      if (others && matchMedia("(hover: hover)").matches && list?.matches(":hover")) list.addEventListener("pointerleave", left);
      else left();
    }, KEPT_MS);
    return () => {
      clearTimeout(timer);
      list?.removeEventListener("pointerleave", left);
    };
  }, [gone, others]);
  return (
    <div ref={box} className={gone ? "kept" : undefined} hidden={hidden} style={{ height: height.current }}>
      {gone ? (
        <div className="answered" data-testid="answered">
          {children}
        </div>
      ) : (
        children
      )}
    </div>
  );
}
