declare function currentSession(): Promise<{ accessToken: string } | undefined>;

import { TransportError, WebSocketAgent } from "@aguiws/client";

const token = async () => {
  const session = await currentSession();
  if (!session) throw new TransportError("signed_out", "nobody is signed in");   // final: runs reject with it
  return session.accessToken;
};

new WebSocketAgent({ url: "/agui/ws", token });
