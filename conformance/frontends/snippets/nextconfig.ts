// next.config.mjs
const server = "http://127.0.0.1:8080";
export default {
  rewrites: async () => [
    { source: "/copilotkit/:path*", destination: `${server}/copilotkit/:path*` },
    { source: "/agui/:path*", destination: `${server}/agui/:path*` },
    { source: "/v1/:path*", destination: `${server}/v1/:path*` },   // for <Inbox> and <ThreadList>
  ],
};
