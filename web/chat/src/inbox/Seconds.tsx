import { useEffect, useState } from "react";

/** The seconds until a moment, as `performance.now` has it, in words that tick. They are for the eye alone: whoever hears them would hear nothing else. */
export function Seconds({ until, words }: { until: number; words: (seconds: number) => string }) {
  const left = Math.max(1, Math.ceil((until - performance.now()) / 1_000));
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => tick((n) => n + 1), Math.max(0, until - performance.now() - (left - 1) * 1_000));
    return () => clearTimeout(timer);
  });
  return <span aria-hidden="true">{words(left)}</span>;
}
