import { useEffect, useState } from "react";
import type { InboxItem } from "../server/api";
import { dueOf } from "./due";

/** Until when a thread's questions may be answered, as time goes by. `soon`: only what ends within a day, or has ended. */
export function DueTag({ interrupts, soon = false }: { interrupts: InboxItem["interrupts"]; soon?: boolean }) {
  const [, look] = useState(0);
  const due = dueOf(interrupts, Date.now());
  const again = due?.again;
  useEffect(() => {
    if (again === undefined) return;
    const timer = setInterval(() => look((n) => n + 1), again);
    return () => clearInterval(timer);
  }, [again]);
  if (!due || (soon && !due.soon)) return null;
  return (
    <span className={due.expired ? "tag late" : "tag"} data-testid="inbox-due" data-expired={due.expired}>
      {due.words}
    </span>
  );
}
