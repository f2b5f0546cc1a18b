// What is used of the package `next`.

declare module "next/dynamic" {
  type Component = import("react").ComponentType;
  export default function dynamic(load: () => Promise<{ default: Component }>, options: { ssr: boolean }): Component;
}
