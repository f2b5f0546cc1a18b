import { useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Interrupt } from "@ag-ui/client";
import { asksWords } from "../../../react/inbox/asks";
import type { InboxItem } from "../server/api";
import { among, called, countOf, countWords, endBelow, MOST, questionsKey, takesWhy, toolsOf, type Bulk, type Result } from "./bulk";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Facts, type Asker } from "../../../react/decision/Facts";
import { Guarded, led, uncovered } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { worded } from "../../../react/lib/naming";
import { useApprovedBefore } from "./approvedbefore";
import { Choices } from "./Choices";
import { clock } from "../../../react/lib/time";
import { sentence, wordsFor } from "../lib/words";
import { doneWords } from "./selection";
import { allAsked, kindsOf, type Asked, type Kind, type Unlike } from "./unlike";
import { parts, words } from "../words";
import { inbox } from "../words/inbox";

const NONE: readonly InboxItem[] = [];

interface Props {
  bulk: Bulk;
  /** What can be chosen, of what is shown. */
  offered: readonly InboxItem[];
  /** That is all there is; else some of it may be there and not be known. */
  whole: boolean;
  chosen: readonly InboxItem[];
  choose: (items: readonly InboxItem[]) => void;
  /** One question has the whole of the place. */
  aside: boolean;
  /** Holds what was proposed until it cannot be taken back any more. */
  hold: () => void;
  /** Sends again what is unanswered. */
  again: () => void;
  /** Leads the focus back to the questions. */
  leave: () => void;
}

/** Answers several threads at once: what is chosen, what will happen, and what of it was refused. */
export function BulkBar({ bulk, offered, whole, chosen, choose, aside, hold, again, leave }: Props) {
  const { way, items, why, state, fault, results } = useSyncExternalStore(bulk.watch, bulk.look);
  const box = useRef<HTMLElement>(null);
  const asks = useId();
  const { before, looking } = useApprovedBefore(way === "approve" ? items : NONE);
  const yes = way === "approve";
  const asking = state !== "idle" && state !== "held";
  // Of what is longer than its box, before its end has been seen.
  const unread = useRef(false);
  const [reads, setReads] = useState(false);
  const refused = results.filter(({ error }) => error);
  const nothing = !asking && (aside || (chosen.length === 0 && refused.length === 0 && !fault));
  useLayoutEffect(() => {
    if (whole) bulk.keep(offered);
  }, [bulk, offered, whole]);
  useEffect(() => () => bulk.clear(), [bulk]);
  // Where its buttons were there may be a card's now.
  useLayoutEffect(uncovered, [asking]);
  useLayoutEffect(() => {
    if (nothing) uncovered();
  }, [nothing]);
  useEffect(() => {
    const bar = box.current;
    if (!asking || !bar) return;
    if (state === "asking") {
      led(bar);
      bar.querySelector<HTMLElement>(unread.current && yes ? '[data-testid="bulk-named"]' : '[data-testid="bulk-send"]')?.focus({ preventScroll: true });
    }
    return () => {
      // Whoever leaves it goes on among the questions.
      if (document.activeElement === document.body || bar.contains(document.activeElement)) leave();
    };
  }, [asking]);
  if (nothing) return null;
  const explained = yes ? [] : items.flatMap(({ interrupts }) => interrupts.flatMap(({ interrupt }) => takesWhy(interrupt as unknown as Interrupt) ?? []));
  const kinds = new Map([
    ["all", inbox.bulk.allShown(countWords(offered))],
    ...toolsOf(offered).map(([tool, count]) => [`tool:${tool}`, `${visible(tool)} (${count})`] as const),
    ["none", inbox.bulk.none],
  ]);
  const asked = items.flatMap((item) => item.interrupts.map((one) => ({ item, one, before: before(item, one) })));
  const kindsAsked = kindsOf<Named>(asked);
  const all = allAsked(kindsAsked);
  const repeats = asked.map(({ before = "" }) => before);
  const done = doneWords(way, results.flatMap(({ item, error }) => (error ? [] : item)));
  // A list that is on its way may have others.
  const hidden = state === "asking" && among(new Set(items.map(questionsKey)), offered).size < items.length;
  return (
    <section
      ref={box}
      className="bulk"
      tabIndex={-1}
      aria-label={inbox.bulk.several}
      aria-describedby={asking ? asks : undefined}
      data-testid="bulk"
      data-state={state}
      onKeyDown={(event) => {
        if (event.key === "Escape" && state === "asking") bulk.leave();
      }}
    >
      {asking ? (
        <Guarded fixed held={looking} subject={`${way} ${items.map(({ threadId }) => threadId).join()} ${repeats.join()}`} className="confirm">
          <p id={asks} data-testid="bulk-asks">
            <strong>{(yes ? inbox.bulk.approveAsks[called(items)] : inbox.bulk.declineAsks)(countWords(items))}</strong>
          </p>
          {/* In sight however long the list is. */}
          <Facts tool={kindsAsked.length === 1 ? kindsAsked[0]!.tool : undefined} asker={all}>
            {(kindsAsked.length > 1 || kindsAsked[0]?.asked[0]?.unlike) && <span data-testid="bulk-kinds">{kindWords(kindsAsked)}</span>}
          </Facts>
          <NamedBox
            kinds={kindsAsked}
            all={all}
            labelledBy={asks}
            sees={(seen) => {
              unread.current = !seen;
              setReads(!seen);
            }}
          />
          {explained.length > 0 && (
            <label className="field">
              <span>
                {parts.answer.reason} <span className="hint">{parts.answer.reasonHint}</span>
              </span>
              <input
                type="text"
                autoComplete="off"
                data-testid="bulk-why"
                value={why}
                maxLength={Math.min(...explained.map(({ most = Infinity }) => most))}
                disabled={state !== "asking"}
                onChange={(event) => bulk.explain(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
                  // The rest of this Enter would press the button.
                  event.preventDefault();
                  box.current?.querySelector<HTMLElement>('[data-testid="bulk-send"]')?.focus();
                }}
              />
            </label>
          )}
          {state === "unanswered" && fault && (
            <p className="fault" role="alert" data-testid="bulk-unanswered">
              {inbox.bulk.unknown(wordsFor(fault.code).title, items.length)}
            </p>
          )}
          <div className="actions">
            <button type="button" className={yes ? "primary" : "primary refuses"} data-testid="bulk-send" disabled={state === "sending" || hidden || (yes && reads)} onClick={state === "unanswered" ? again : hold}>
              {state === "sending" ? words.chat.sending : state === "unanswered" ? words.chat.sendAgain : (yes ? inbox.bulk.approve : inbox.bulk.decline)(countOf(items))}
            </button>
            <button type="button" data-edits data-testid="bulk-leave" disabled={state === "sending"} onClick={() => bulk.leave()}>
              {state === "unanswered" ? inbox.bulk.leave : inbox.bulk.back}
            </button>
            {yes && reads && (
              <span className="hint" data-testid="bulk-unread">
                {inbox.bulk.readFirst}
              </span>
            )}
          </div>
        </Guarded>
      ) : (
        chosen.length > 0 && (
          <div className="actions">
            <Choices
              label={inbox.bulk.selected(countWords(chosen))}
              hook="bulk-select"
              value=""
              values={[...kinds.keys()]}
              words={(one) => kinds.get(one)!}
              choose={(what) => {
                const some = what === "none" ? [] : what === "all" ? offered : offered.filter((one) => toolsOf([one]).some(([name]) => what === `tool:${name}`));
                choose(some.slice(0, MOST));
              }}
            />
            <button type="button" data-testid="bulk-approve" onClick={() => bulk.propose("approve", chosen)}>
              {inbox.bulk.approveMore(countOf(chosen))}
            </button>
            <button type="button" data-testid="bulk-decline" onClick={() => bulk.propose("decline", chosen)}>
              {inbox.bulk.declineMore(countOf(chosen))}
            </button>
          </div>
        )
      )}
      <div className="results" data-testid="bulk-results" {...(refused.length > 0 && { tabIndex: 0, role: "group", "aria-label": inbox.bulk.results })}>
        <div role="status">
          {state === "idle" && fault && (
            <p className="fault">
              {inbox.bulk.noneAnswered(`${wordsFor(fault.code).title}: ${sentence(fault.message)} ${wordsFor(fault.code).advice}`)}
            </p>
          )}
          {refused.length > 0 && <p>{inbox.bulk.refused(done, refused.length)}.</p>}
          {refused.length > 0 && (
            <ul>
              {refused.map(({ item, error }) => (
                <li key={`${item.namespace} ${item.threadId}`} className="fault">
                  {visible(item.title || words.threads.untitled)}: {refusalWords(error!)}
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </section>
  );
}

interface Named extends Asked {
  item: InboxItem;
  one: InboxItem["interrupts"][number];
  /** When the same call was approved. */
  before?: string;
}

/** Each question as it would be answered, by what would be done: what it asks, with what, and who asks; and how many are to be scrolled to. `sees` hears whether the last one has been in sight. */
function NamedBox({ kinds, all, labelledBy, sees }: { kinds: ReadonlyArray<Kind<Named>>; all: Asker; labelledBy: string; sees: (seen: boolean) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useRef(false);
  const [below, setBelow] = useState(0);
  const look = () => {
    const { current } = box;
    if (!current) return;
    const left = endBelow([...current.querySelectorAll('[data-testid="bulk-one"]')].map((one) => one.getBoundingClientRect().bottom), current.getBoundingClientRect().bottom);
    seen.current ||= left === 0;
    setBelow(left);
    sees(seen.current);
  };
  useLayoutEffect(look);
  useEffect(() => {
    const sizes = new ResizeObserver(look);
    sizes.observe(box.current!);
    sizes.observe(box.current!.firstElementChild!);
    return () => sizes.disconnect();
  }, []);
  return (
    <div className="all-named" data-more={below > 0}>
      <div ref={box} data-testid="bulk-named" tabIndex={0} role="group" aria-labelledby={labelledBy} onScroll={look}>
        <ul className="kinds">
          {kinds.map(({ tool, user, agent, same, asked }) => (
            <li key={tool ?? ""}>
              {asked.length > 1 && kinds.length > 1 && (
                <Facts tool={tool} asker={only({ user, agent }, all)}>
                  <span>{inbox.questions(asked.length)}</span>
                </Facts>
              )}
              {same !== undefined && (
                <div className="carried" data-testid="bulk-same">
                  <span className="hint">{inbox.bulk.same}</span>
                  <ArgFields text={same} hook="bulk-same-arguments" label={inbox.bulk.same} compact />
                </div>
              )}
              <ul className="named">
                {asked.map(({ asked: one, args, unlike }) => (
                  <NamedOne
                    key={`${one.item.namespace} ${one.item.threadId} ${one.one.id}`}
                    {...one}
                    args={args}
                    unlike={unlike}
                    tool={asked.length === 1 && kinds.length > 1 ? tool : undefined}
                    asker={only(one.item, asked.length > 1 && kinds.length > 1 ? { user, agent } : all)}
                  />
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </div>
      {below > 0 && (
        <button type="button" data-edits data-testid="bulk-below" onClick={() => box.current!.scrollBy({ top: box.current!.clientHeight * 0.8 })}>
          <span aria-hidden>↓</span> {inbox.bulk.below(below)}
        </button>
      )}
    </div>
  );
}

function NamedOne({ item, one, before, args, unlike, tool, asker }: Named & { args?: string; unlike?: Unlike; tool?: string; asker: Asker }) {
  return (
    <li data-testid="bulk-one" data-unlike={unlike !== undefined}>
      <div>
        <strong dir="auto">{asksWords({ interrupts: [one] }, parts) || visible(item.title || words.threads.untitled)}</strong>
        <Facts tool={tool} asker={asker} />
        {unlike && <span className="tag asked">{inbox.bulk.unlike(unlikeWords(unlike))}</span>}
      </div>
      {args !== undefined && (
        <div className="carried">
          <ArgFields text={args} hook="bulk-arguments" label={visible(one.toolCall!.name)} />
        </div>
      )}
      {before !== undefined && <p className="banner">{inbox.approvedBefore(clock(before, Date.now(), parts))}</p>}
    </li>
  );
}

/** Who asks, and which agent, unless that is said of more than this. */
const only = ({ user, agent }: Asker, said: Asker): Asker => ({ user: said.user === undefined ? user : undefined, agent: said.agent === undefined ? agent : undefined });

/** What is unlike, by its labels. */
function unlikeWords({ args, user, agent }: Unlike): string {
  return visible([...args.map((name) => (name === undefined ? parts.decision.argumentsOfCall : worded(name))), ...(user ? [inbox.columns.askedBy] : []), ...(agent ? [inbox.columns.agent] : [])].join(", "));
}

/** How many are asked of each kind, and whether some are unlike the others. */
function kindWords(kinds: ReadonlyArray<Kind<Named>>): string {
  if (kinds.length === 1) return inbox.bulk.someUnlike(kinds[0]!.asked.filter(({ unlike }) => unlike).length);
  return kinds
    .map(({ tool, asked }) => {
      const unlike = asked.filter(({ unlike }) => unlike).length;
      return inbox.bulk.kind(tool === undefined ? inbox.bulk.plain : visible(tool), asked.length, unlike);
    })
    .join(" · ");
}

/** Why one was refused. */
export function refusalWords({ code, detail }: NonNullable<Result["error"]>): string {
  return `${wordsFor(code).title}. ${sentence(detail)} ${wordsFor(code).advice}`;
}
