import { useEffect, useState } from "react";

/** The browser is given this long to find time, in milliseconds. */
const AT_MOST_MS = 2_000;

/** Whether the page has been drawn, and the browser has had time since: what is needed later is fetched then. */
export function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    const found = () => setIdle(true);
    // Safari has no such call.
    if (typeof requestIdleCallback !== "function") {
      const timer = setTimeout(found, 200);
      return () => clearTimeout(timer);
    }
    const asked = requestIdleCallback(found, { timeout: AT_MOST_MS });
    return () => cancelIdleCallback(asked);
  }, []);
  return idle;
}
