import { ApiError, request } from "./api";
import { words } from "../words";

/** Keeps a path of the control API as a file, where a plain link would come without the credential. What breaks off is not kept. */
export async function download(path: string, name: string): Promise<void> {
  let body: Blob;
  try {
    const response = await request(path);
    if (!response.ok) throw new ApiError(response.status, "refused", words.server.answered(response.status));
    body = await response.blob();
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(0, "unreachable", words.server.brokeOff);
  }
  const address = URL.createObjectURL(body);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
