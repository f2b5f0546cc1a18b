// What is used of the package `react-dom`.

declare module "react-dom/client" {
  export function createRoot(element: Element): { render(node: import("react").ReactNode): void };
}
