// The reducer of @ag-ui/client copies an agent's messages when it begins and writes its copy back as it goes. Two of
// them at work on one agent would undo each other, so they take turns.

import { Observable, type Subscription } from "rxjs";

/** A queue of reducers of one agent. */
export class Lane {
  private tail: Promise<void> = Promise.resolve();
  private waiting = 0;

  /** Whether no reducer is at work and none is waiting. */
  get idle(): boolean {
    return this.waiting === 0;
  }

  /**
   * Passes events to a reducer that begins when the first event has come and the reducers before it are done, so
   * that it copies what they left. `settled` is called after its end.
   */
  reduce<E, M>(
    events$: Observable<E>,
    reducer: (events$: Observable<E>) => Observable<M>,
    settled: () => void,
  ): Observable<M> {
    return new Observable<M>((out) => {
      const held: Array<(to: { next(e: E): void; error(e: unknown): void; complete(): void }) => void> = [];
      let feed: ((item: (typeof held)[number]) => void) | undefined;
      let leave: (() => void) | undefined;
      let inner: Subscription | undefined;
      let gone = false;

      const begin = () => {
        if (gone) return;
        inner = reducer(
          new Observable<E>((to) => {
            for (const item of held.splice(0)) item(to);
            feed = (item) => item(to);
          }),
        ).subscribe(out);
      };
      const give = (item: (typeof held)[number]) => {
        if (feed) {
          feed(item);
          return;
        }
        held.push(item);
        if (leave) return;
        const turn = this.enter();
        leave = turn.leave;
        void turn.granted.then(begin);
      };

      const outer = events$.subscribe({
        next: (event) => give((to) => to.next(event)),
        error: (error) => (leave ? give((to) => to.error(error)) : out.error(error)),
        complete: () => (leave ? give((to) => to.complete()) : out.complete()),
      });
      return () => {
        gone = true;
        outer.unsubscribe();
        inner?.unsubscribe();
        if (!leave) return;
        leave();
        settled();
      };
    });
  }

  private enter(): { granted: Promise<void>; leave: () => void } {
    const granted = this.tail;
    this.waiting++;
    let done!: () => void;
    this.tail = new Promise((resolve) => (done = resolve));
    // A turn that is given up before it was granted must not let the next one pass the one at work.
    const passed = granted.then(() => undefined);
    let left = false;
    return {
      granted,
      leave: () => {
        if (left) return;
        left = true;
        this.waiting--;
        void passed.then(done);
      },
    };
  }
}
