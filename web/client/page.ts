// Signs that a page is back: from no network, or from the background, where timers sleep.

/** Calls `back` each time, until the returned function is called. Does nothing where there is no page. */
export function onReturn(back: () => void): () => void {
  const page = globalThis as { addEventListener?: Window["addEventListener"]; document?: Document };
  if (typeof page.addEventListener !== "function") return () => {};
  const seen = () => {
    if (page.document?.visibilityState !== "hidden") back();
  };
  globalThis.addEventListener("online", seen);
  page.document?.addEventListener("visibilitychange", seen);
  return () => {
    globalThis.removeEventListener("online", seen);
    page.document?.removeEventListener("visibilitychange", seen);
  };
}
