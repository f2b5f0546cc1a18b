import { useLayoutEffect, useRef } from "react";
import { words } from "../words";

interface Props {
  jump: () => void;
  /** It goes with the keyboard on it. */
  left: () => void;
}

/** The way back to the end, while the reader is elsewhere. */
export function Jump({ jump, left }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const last = useRef(left);
  last.current = left;
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      // A finger would have the keyboard of the screen come up.
      if (current?.matches(":focus-visible")) last.current();
    };
  }, []);
  return (
    <div className="jump">
      <button type="button" ref={button} data-testid="jump" onClick={jump}>
        {words.chat.jump}
      </button>
    </div>
  );
}
