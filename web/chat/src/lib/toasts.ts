// The one corner where the page says what was just done, over whatever is looked at.

let corner: HTMLElement | undefined;

export function toasts(): HTMLElement {
  if (!corner) {
    corner = document.body.appendChild(document.createElement("div"));
    corner.className = "toasts";
  }
  return corner;
}
