// vite.config.js
export default {
  server: {
    proxy: {
      "/agui": { target: "http://127.0.0.1:8080", ws: true, changeOrigin: false },
      "/copilotkit": { target: "http://127.0.0.1:8080", changeOrigin: false },   // for runtimeUrl
      "/v1": { target: "http://127.0.0.1:8080", changeOrigin: false },           // for <Inbox> and <ThreadList>
    },
  },
};
