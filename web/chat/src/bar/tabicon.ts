// The tab's icon: the page's, or one that counts how many wait.

import { at } from "../lib/base";

/** Larger counts have one icon between them. */
const MOST = 9;

/** The address of the icon for so many; vite.config.ts makes one for each. */
export function iconFor(total: number): string {
  return at(total === 0 ? "/icon.svg" : `/icon-${Math.min(total, MOST + 1)}.svg`);
}

export function showTabIcon(total: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link && link.getAttribute("href") !== iconFor(total)) link.href = iconFor(total);
}
