// Vite passes what goes to the server on, so that page and server are of one origin, as where they are deployed together.

import react from "@vitejs/plugin-react";

const target = process.env.AGUIWS_URL ?? "http://127.0.0.1:8080";
const proxy = { "/copilotkit": { target, changeOrigin: false } };

export default {
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
};
