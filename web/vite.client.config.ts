import { defineConfig } from "vite";

// The browser package as one ES module for Node and for bundlers; its peers stay imports.
export default defineConfig({
  build: {
    outDir: "dist-client",
    emptyOutDir: true,
    target: "es2022",
    minify: false,
    lib: { entry: "client/index.ts", formats: ["es"], fileName: "index" },
    rollupOptions: { external: [/^@ag-ui\//, /^rxjs/] },
  },
});
