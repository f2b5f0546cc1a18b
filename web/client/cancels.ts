// Runs that are to be stopped. A wish to stop outlives sockets, and the run's own Observable: it is over when the server
// has answered it, or when the run is.

/** Refusals of a frame that say nothing about what it asks. */
const FOR_NOW = new Set(["rate_limited", "store_unavailable", "server_draining"]);
/** How often it is sent that is refused for now. */
const ATTEMPTS = 5;
/** How long until it is sent again while the store is down, in milliseconds. */
const DOWN_MS = 5_000;

interface Wish {
  /** The id of the frame on the present socket, while there is one. */
  frameId?: string;
  attempts: number;
}

export class Cancels {
  /** By what the log calls the run. */
  private readonly wishes = new Map<string, Wish>();

  /** `send` answers the id of the frame, or undefined where there is no socket. */
  constructor(private readonly send: (runId: string) => string | undefined) {}

  /** Whether there is none. */
  get empty(): boolean {
    return this.wishes.size === 0;
  }

  /** Now, or at the next `sendAll`. */
  wish(runId: string): void {
    if (!this.wishes.has(runId)) this.wishes.set(runId, { attempts: 0 });
    this.sendOne(runId);
  }

  /** Sends what is not on its way. */
  sendAll(): void {
    for (const runId of this.wishes.keys()) this.sendOne(runId);
  }

  /** The run has ended, or the server has answered. */
  over(runId: string | undefined): void {
    if (runId !== undefined) this.wishes.delete(runId);
  }

  clear(): void {
    this.wishes.clear();
  }

  /** What was on its way is lost. */
  socketLost(): void {
    for (const wish of this.wishes.values()) wish.frameId = undefined;
  }

  /** A frame was refused; `down`: as the store is known to be, which is no attempt. Answers "none" if it is none of these, "again" if it will be sent again, or that it is given up. */
  refused(frameId: string | undefined, code: string, down: boolean): "none" | "again" | "given up" {
    const [runId, wish] = [...this.wishes].find(([, one]) => frameId !== undefined && one.frameId === frameId) ?? [];
    if (runId === undefined || !wish) return "none";
    if (!FOR_NOW.has(code) || (!down && ++wish.attempts >= ATTEMPTS)) {
      this.wishes.delete(runId);
      return "given up";
    }
    setTimeout(() => {
      if (wish.frameId !== frameId) return;
      wish.frameId = undefined;
      this.sendOne(runId);
    }, down ? DOWN_MS : 250 * 2 ** wish.attempts);
    return "again";
  }

  private sendOne(runId: string): void {
    const wish = this.wishes.get(runId);
    if (wish && wish.frameId === undefined) wish.frameId = this.send(runId);
  }
}
