import { exactly } from "../lib/exactly";
import { useEffect, useState } from "react";
import { lengthWords, waitsSince, type RunOnRecord } from "./runway";
import { locale } from "../words";

const WHOLE = { weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;

/** All of a time: "Thursday, January 31, 2030 at 14:05:09 UTC". */
export const wholly = (time: string): string => new Date(time).toLocaleString(locale, WHOLE);

/** A time to the second, with its day unless that is today, and all of it in its title. `after` follows it. */
export function When({ at, short = exactly, plain, after }: { at: string; short?: (time: string) => string; plain?: boolean; after?: string }) {
  return (
    <time className={plain ? undefined : "hint"} dateTime={at} title={wholly(at)}>
      {short(at)}
      {after && ` ${after}`}
    </time>
  );
}

/** How often the length of what goes on is looked at again, in milliseconds. */
const EVERY_MS = 5_000;

/** How long a run has waited or was worked on, as time goes by. */
export function Length({ run }: { run: RunOnRecord }) {
  const [, look] = useState(0);
  const goesOn = run.state === "claimed" || waitsSince(run) !== undefined;
  useEffect(() => {
    if (!goesOn) return;
    const timer = setInterval(() => look((n) => n + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, [goesOn]);
  return lengthWords(run);
}
