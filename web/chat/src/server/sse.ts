// Server-Sent Events as they come, in pieces that end anywhere.

/** What has come up to an empty line. */
export interface Block {
  id?: string;
  data?: string;
}

/** Takes text piece by piece, and hands out what is whole. */
export class Blocks {
  private rest = "";
  private block: Block = {};

  /** The blocks that this text completes; one that only keeps the connection alive is none. */
  take(text: string): Block[] {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop()!;
    const whole: Block[] = [];
    for (const line of lines) {
      const read = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (read !== "") this.read(read);
      else {
        if (this.block.id !== undefined || this.block.data !== undefined) whole.push(this.block);
        this.block = {};
      }
    }
    return whole;
  }

  private read(line: string): void {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
    if (name === "id") this.block.id = value!;
    else if (name === "data") this.block.data = this.block.data === undefined ? value! : `${this.block.data}\n${value!}`;
  }
}
