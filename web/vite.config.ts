import { defineConfig } from "vite";

// Relative addresses, no inline scripts or styles, nothing from another host: the page is served
// under a content policy that allows only itself.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/interpreter/server/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 700,
  },
});
