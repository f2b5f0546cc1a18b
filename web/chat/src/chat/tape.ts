// What has crossed the wire lately, kept for whoever wants to look.

import type { Connection } from "../../../client";

/** A frame as it crossed the wire. */
export interface Frame {
  id: number;
  at: string;
  sent: boolean;
  type: string;
  text: string;
}

interface Kept {
  id: number;
  at: number;
  sent: boolean;
  text: string;
  /** The thread of the last ws.stream frame, which is that of a received event. */
  streamed?: string;
}

/** More frames, or more characters, than this are forgotten, oldest first. */
const FRAMES = 1_000;
const CHARACTERS = 4 << 20;

/** Records a connection. Frames are read when somebody looks, so that recording costs next to nothing. */
export class Tape {
  private readonly kept: Kept[] = [];
  private characters = 0;
  private next = 0;
  private streamed?: string;
  private readonly watchers = new Set<() => void>();

  /** Records until the returned function is called. */
  record(connection: Pick<Connection, "tap">): () => void {
    return connection.tap((sent, text) => this.add(sent, text));
  }

  /** Calls `watcher` after every frame. */
  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** The frames about a thread and those about none, oldest first. */
  frames(threadId: string): Frame[] {
    const frames: Frame[] = [];
    for (const { id, at, sent, text, streamed } of this.kept) {
      const read = parse(text);
      if (!read) continue;
      const type = typeof read.type === "string" ? read.type : "RunAgentInput";
      const about = sent || type.startsWith("ws.") ? read.threadId : streamed;
      if (about !== undefined && about !== threadId) continue;
      frames.push({ id, at: new Date(at).toISOString().slice(11, 23), sent, type, text });
    }
    return frames;
  }

  private add(sent: boolean, text: string): void {
    if (!sent && text.includes('"ws.stream"')) {
      const read = parse(text);
      if (read?.type === "ws.stream" && typeof read.threadId === "string") this.streamed = read.threadId;
    }
    this.kept.push({ id: this.next++, at: Date.now(), sent, text, streamed: this.streamed });
    this.characters += text.length;
    while (this.kept.length > FRAMES || (this.characters > CHARACTERS && this.kept.length > 1)) {
      this.characters -= this.kept.shift()!.text.length;
    }
    for (const watcher of [...this.watchers]) watcher();
  }
}

function parse(text: string): { type?: unknown; threadId?: unknown } | undefined {
  try {
    const read = JSON.parse(text) as unknown;
    return typeof read === "object" && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}
