export default {
  server: {
    proxy: {
      "/agui": "ws://127.0.0.1:8080",
    },
  },
};
