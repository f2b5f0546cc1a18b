// What is used of the types of frontends, so that the package is compiled without them. Applications have the true ones;
// conformance/install compiles against those.

declare module "@copilotkit/react-core/v2" {
  export { AbstractAgent } from "@ag-ui/client";
}
