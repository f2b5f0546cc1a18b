import { defineConfig } from "vitest/config";

// The package's tests once more, on the base class that published frontends bring along.
export default defineConfig({
  resolve: { alias: { "@ag-ui/client": "ag-ui-client-0.0.59" } },
  test: { testTimeout: 60_000, hookTimeout: 60_000, include: ["client/test/**/*.test.ts"] },
});
