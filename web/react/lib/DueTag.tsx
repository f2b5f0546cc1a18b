import { useEffect, useState } from "react";
import { dueOf, type Due, type Timed } from "./due.js";
import { useStrings } from "./words.js";

/** Until when questions may be answered, as time goes by. */
export function useDue(asked: readonly Timed[]): Due | undefined {
  const [, look] = useState(0);
  const due = dueOf(asked, Date.now(), useStrings());
  const again = due?.again;
  useEffect(() => {
    if (again === undefined) return;
    const timer = setInterval(() => look((n) => n + 1), again);
    return () => clearInterval(timer);
  }, [again]);
  return due;
}

export function DueTag({ due, hook }: { due: Due; hook: string }) {
  if (due.words === undefined) return null;
  return (
    <span className={due.expired ? "tag late" : "tag"} title={due.full} data-testid={hook} data-expired={due.expired}>
      {due.words}
    </span>
  );
}

/** Until when a thread's questions may be answered. */
export function ThreadDue({ asked }: { asked: readonly Timed[] }) {
  const due = useDue(asked);
  return due ? <DueTag due={due} hook="inbox-due" /> : null;
}
