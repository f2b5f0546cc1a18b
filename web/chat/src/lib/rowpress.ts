// For a pointer the whole of a row is the button in it.

/** Whether a click means the row: not what is in it and is pressed, or read, for itself, and not the end of a text that is selected. */
export function meansRow(target: Pick<Element, "closest">, selection: Pick<Selection, "isCollapsed"> | null = getSelection()): boolean {
  return target.closest("button, a, label, input, summary, .decided-details") === null && selection?.isCollapsed !== false;
}
