// The control frames of this lane and the browser's, which the lane's Go test holds to the schema of the binding. Other
// lanes that use these clients and tabs name no file.

import { appendFileSync } from "node:fs";

const { AGUIWS_FRAMES } = process.env;

/** Keeps a frame of one side, "client" or "server", if it may be a control frame. */
export function keepFrame(side, data) {
  const frame = String(data);
  if (AGUIWS_FRAMES && /"type":\s*"ws\./.test(frame)) appendFileSync(AGUIWS_FRAMES, `${JSON.stringify({ side, frame })}\n`);
}
