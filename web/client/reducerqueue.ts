// The reducer of @ag-ui/client copies an agent's messages when it begins and writes its copy back as it goes. Two of
// them at work on one agent would undo each other, so they take turns, in the order in which their runs began.

import { Observable, type Subscription } from "rxjs";

interface Turn {
  granted: Promise<void>;
  leave: () => void;
}

interface Target<E> {
  next(event: E): void;
  error(error: unknown): void;
  complete(): void;
}

/** A queue of reducers of one agent. */
export class ReducerQueue {
  private tail: Promise<void> = Promise.resolve();
  private length = 0;
  private readonly reserved = new Map<string, Turn>();

  /** Whether no reducer is at work and none is queued. */
  get idle(): boolean {
    return this.length === 0;
  }

  /**
   * Takes the next turn for the reducer of this key, whose events are on their way: pipelines differ in how long an
   * event takes to come through. Must be followed by a `reduce` of that key, or by `release`.
   */
  reserve(key: string): void {
    if (!this.reserved.has(key)) this.reserved.set(key, this.enter());
  }

  /** Gives up a turn that was not used. */
  release(key: string): void {
    this.claim(key)?.leave();
  }

  /**
   * Passes events to a reducer that begins when the first event has come and the reducers before it are done, so
   * that it copies what they left. `settled` is called after its end.
   */
  reduce<E, M>(
    key: string,
    events$: Observable<E>,
    reducer: (events$: Observable<E>) => Observable<M>,
    settled: () => void,
  ): Observable<M> {
    return new Observable<M>((out) => {
      const held: Array<(to: Target<E>) => void> = [];
      let target: Target<E> | undefined;
      let turn: Turn | undefined;
      let inner: Subscription | undefined;
      let gone = false;

      const begin = () => {
        if (gone) return;
        const own$ = new Observable<E>((to) => {
          for (const item of held.splice(0)) item(to);
          target = to;
        });
        inner = reducer(own$).subscribe(out);
      };
      const give = (item: (to: Target<E>) => void) => {
        if (target) {
          item(target);
          return;
        }
        held.push(item);
        if (turn) return;
        turn = this.claim(key) ?? this.enter();
        void turn.granted.then(begin);
      };

      const outer = events$.subscribe({
        next: (event) => give((to) => to.next(event)),
        error: (error) => (turn ? give((to) => to.error(error)) : out.error(error)),
        complete: () => (turn ? give((to) => to.complete()) : out.complete()),
      });
      return () => {
        gone = true;
        outer.unsubscribe();
        inner?.unsubscribe();
        turn ??= this.claim(key);
        if (!turn) return;
        turn.leave();
        settled();
      };
    });
  }

  private claim(key: string): Turn | undefined {
    const turn = this.reserved.get(key);
    this.reserved.delete(key);
    return turn;
  }

  private enter(): Turn {
    const granted = this.tail;
    this.length++;
    let done!: () => void;
    this.tail = new Promise((resolve) => (done = resolve));
    let left = false;
    return {
      granted,
      leave: () => {
        if (left) return;
        left = true;
        this.length--;
        // A turn that is given up before it was granted must not let the next one pass the one at work.
        void granted.then(done);
      },
    };
  }
}
