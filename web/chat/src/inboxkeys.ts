// The inbox by single keys: which of them do what, and when they are only letters.

export type KeyAct = "next" | "previous" | "approve" | "decline" | "edit";

const ACTS: Record<string, KeyAct> = { j: "next", k: "previous", a: "approve", d: "decline", e: "edit" };

/** What a key that goes down means; undefined for a letter that is typed, a shortcut of somebody else's, and a decision that is held down. */
export function keyActOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "defaultPrevented" | "isComposing" | "target">): KeyAct | undefined {
  const act = Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : undefined;
  if (!act || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.repeat && act !== "next" && act !== "previous") return undefined;
  return isTyped(event.target) ? undefined : act;
}

/** Whether letters go into it, or choose in it. */
function isTyped(target: EventTarget | null): boolean {
  const { tagName, type, isContentEditable } = (target ?? {}) as Partial<HTMLInputElement>;
  if (isContentEditable || tagName === "TEXTAREA" || tagName === "SELECT") return true;
  return tagName === "INPUT" && !["checkbox", "radio", "button"].includes(type ?? "");
}

/** Does in what is shown of a thread what the key means: presses the button of its first open question, which may be too soon for it, or leads to what is to be filled in. */
export function actOn(detail: ParentNode, act: Exclude<KeyAct, "next" | "previous">): void {
  const question = detail.querySelector('[data-testid="interrupt"][data-answered="false"]') ?? detail.querySelector('[data-testid="interrupt"]');
  const button = question?.querySelector<HTMLButtonElement>(`[data-testid="${act}"]:not(:disabled)`);
  question?.scrollIntoView({ block: "nearest" });
  if (button) button.click();
  else question?.querySelector<HTMLElement>("input, select, textarea")?.focus();
}

/** The key of what follows on `from` in a list, leaving out what has gone from it; at its ends, and from nowhere, what is nearest. */
export function neighbour(list: ReadonlyArray<{ key: string; gone: boolean }>, from: string | undefined, step: 1 | -1): string | undefined {
  const at = list.findIndex(({ key }) => key === from);
  const there = (one: { gone: boolean }) => !one.gone;
  if (at < 0) return list.find(there)?.key;
  return (step === 1 ? list.slice(at + 1).find(there) : list.slice(0, at).findLast(there))?.key;
}

const KEY = "aguiws:keys";

export function keysOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export function turnKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, "off");
  } catch {
    // It lasts until the reload.
  }
}
