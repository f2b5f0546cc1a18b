// Whether the person acts by a pointer: where the page leads the focus then, no ring says so.

export function watchPointer(): void {
  const by = (pointer: boolean) => () => void document.documentElement.toggleAttribute("data-pointed", pointer);
  addEventListener("pointerdown", by(true), true);
  addEventListener("keydown", by(false), true);
}
