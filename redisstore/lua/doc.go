// Package lua has the scripts by which a store decides, as Redis gets them: each is put
// together of the files that it needs, with places for the names of its keys and arguments.
//
// A script decides by Redis's clock and validates before its first write. Sent again it finds
// what it did: runs by id, claims by token, batches by number, what gives a claim up by its
// token, stop and stop all by their requests. A lease that has expired can be renewed and
// written under until another claim is granted.
//
// A log epoch belongs to one history of the data, named by master_replid. When that changes (a
// restart, a fail-over) the thread's epoch is another from the next script on that reads the log or
// adds to it, while positions, log, journal and claims stay. A writer whose expected position lies beyond the log is told
// CommitAhead.
//
// # What a script costs
//
// A script that writes does what is new, and takes well below 5 ms of the server however long
// its thread is. An end or a checkpoint takes no more from the head of a log that has become too long than 1,500 events,
// or 256 KiB, unless little stays. Its caller goes on at once, with scripts that take twice as many (retire.lua),
// and returns when the log is within its bounds. If the caller dies, Retire does the rest.
//
// A change of more than 500 stored messages, of more than 63 chunks of their order, or of more than 512 KiB, is made in
// pieces (pieces.lua). Messages, the ids of those that go, and the order are brought before the decision, and nobody
// sees them. The decision makes them count, by two fields. What it
// leaves to do is done in pieces behind it. An order that comes in pieces is a new one beside the present: what stays
// at its beginning is copied, 64 chunks at a time. Pieces name the decision that they belong to: whoever
// makes another one takes them out first, and Retire does so in a thread at rest. A run that takes
// many messages out has them archived before it begins. They count when it has begun.
//
// A repair looks at the log outside of scripts, a page at a time (threadlog.Sound). The script cuts the log if it has as
// many elements as were seen, and the same last one. Else what has come is looked at, and the script called again.
//
// A journal comes with a script up to about 512 entries or 512 KiB. The others are read outside of scripts, and a script
// behind them says whether the claim is held, or the waiting thread has the same version: nobody takes entries out before
// that (Reader.Journal, Reader.Read). A run that begins with a long journal is not told it, and asks.
//
// A page of dispatches begins where it is to in the middle of those that have ended without a look at those before: scripts
// find it by the places of a few in the order (dispatches.lua). A script reads no more than 160 of them, or 512 KiB of
// inputs, and the next begins with the last of the one before (mailbox.Records).
//
// Stopping all stays one script however many inputs wait. The bound of a queue bounds it: 200
// inputs take 44 commands.
//
// # Functions
//
// Redis 7 and later get the scripts of every run as functions of one library (library.go), which
// has what they share once. Redis keeps the values of a library from one call to the next. So a
// piece that a call may change, or whose value depends on a call, gets its value anew at the
// beginning of each: a table that a function fills begins as {}, or with nil. A constant table is
// never changed. A function may use 60 names of shared files, and all of them may have 200.
//
// A server that refuses to run a function gets the script, of the same pieces: the function may be
// missing, or the user not allowed to call it. A server that is full, is read-only, or has no disk
// or replicas refuses a function before its first command, and a script only when it writes.
//
// # Keys
//
// A thread lies in one of a fixed number of partitions. All keys of a partition
// carry the same hash tag, so that every decision about a thread is one script
// in one slot. The table below abbreviates the beginnings of keys:
//
//   - P is prefix:{tag}:
//   - T is P and the hash of namespace and thread id
//   - O is P, owner: and the hash of a user or of a tenant
//   - H is P, hook: and the name of a target of webhooks
//   - L is P, login: and the hash of a flow's id
//   - N is P, tree: and the hash of a namespace
//
// These are the keys. swap writes into several of them that is named in none: it takes a
// person out of what others have (package erasure).
//
//	key         type    holds                                              written by
//	Trec        hash    version, epoch and history, base, seq, boundary,   every script
//	                    the active run, its token, and in one field its
//	                    lease, attempts, since when it is active and its
//	                    node (thread.lua); the dispatch epoch, the
//	                    wish to pause, the latest run, tenant, title, and
//	                    whether somebody gave it; the latest input;
//	                    how long the log is and since when,
//	                    when to look for what is past its retention; how
//	                    many bytes the snapshot has, and how many chunks;
//	                    which input came last to join the run;
//	                    which nodes follow, until when, and which keys
//	                    may have something (lib.lua);
//	                    where the log's latest marks of a
//	                    snapshot are; the entry that asks for a worker: its
//	                    id, since when a deadline has passed, the agent
//	Tlog        list    elements: a batch's events, packed (lib.lua). The  begin, activate, commit, note, join, end, stop,
//	                    first may begin before base                        claim, nack, stopall; midrun trims it
//	Tbig        hash    large events by position; the log holds a mark     begin, activate, commit, note, end, retire
//	                    in their place
//	Tsnap       hash    s: state, o and a number: the message ids in order, a  end, checkpoint, midrun, stage, clear
//	                    chunk each, n: how many chunks, how many ids the
//	                    last of them has and all have, with a minus if the numbers of
//	                    chunks have one, p: the last chunk's producers, m: messages by id; a chunk begins with
//	                    how many ids and bytes stand before it; x, y, z, w, q: pieces (pieces.lua);
//	                    r: the run in whose midst all this is, and what it
//	                    has open
//	Tproducers  hash    by the number of a chunk of the order, but the     end, checkpoint, midrun, stage, clear
//	                    last: which runs and steps its messages came in
//	                    (snapshot.lua)
//	Truns       hash    m: a run and its dispatch by the run's id, on one  begin, activate, end, stop, claim, nack,
//	                    line (run.lua), with its ordinal n in the thread   stopall, midrun, note, refused, retire
//	                    and, until it has ended, the headers for its worker,
//	                    once it has the steps that it ran;
//	                    and its terminal event; rn: record; e: the latest
//	                    run of an execution that was continued.
//	                    What clients may refer to again: l: their run id
//	                    to the latest 32 run ids, a: interrupt id to answer, c: tool
//	                    call ids asked about, x: a request to stop all
//	                    to what it did, n: interrupt id to how many
//	                    answers were refused while it is open.
//	                    x: the live execution: id, agent, began, its open
//	                    suspension behind what the inbox knows of it,
//	                    after a resume what giving back needs; f: what is
//	                    frozen, with what undoes a checkpoint in the
//	                    midst of a run packed behind it; g: what the
//	                    execution was given, in terms of the snapshot
//	Tpast       zset    of a thread with more than a few runs, its         begin, end, stop, claim, nack,
//	                    terminal dispatches: state, when, run              interrupt, retire
//	Tjournal    list    entries of the live execution                      begin, activate, commit, note, end, stop,
//	                                                                       nack, stopall, join
//	Tclosing    string  what closes the active run's open items            commit, note, end, stop, nack, stopall
//	Tqueue      zset    queued run ids by priority and arrival             begin, claim, stop, end, nack, stopall
//	Tdisp       hash    by run id: i: input, 1: and 2: the events of its   begin, activate, stop, end, claim, nack,
//	                    cancellation; d: dedupe key to its run; p: what goes
//	                    along with the wish to pause             stopall
//	Tarchive    hash    ids of messages that a rewind took out, and as     begin, archive
//	                    branches what they were (branch.lua)
//	Tdrafts     hash    answers that wait for others, by interrupt id      drafts, begin
//	Treviewers  string  packed: when the suspension opened, and until when  review, delete, retire
//	                    which user looks at it, or has it assigned
//	Tpayloads   hash    large values: d and a digest: size, created, expires,  payloadkeep, payloadsettle, payloaddue,
//	                    put, type and name; g: of one that has expired; n      delete, retire
//	                    and bytes of all, ns: the namespace
//	Tpayload:D  hash    the pieces of the one with the digest D            payloadkeep
//	Tupload:U   hash    pieces of one under way, for an hour               payloadput
//	Pleases     zset    threads with an active run, by the lease's end, or begin, claim, offer, renew, nack, end, stop,
//	                    by when a run that was given back may be had       stopall
//	Pready      zset    threads that want a worker later, by when: a       begin, claim, offer, renew, end, stop,
//	                    delayed dispatch, a suspension behind its          nack, stopall, delete, retire
//	                    deadline
//	Pready:checks
//	            zset    threads that want one now, by when to look whether begin, claim, offer, renew, end, stop,
//	                    their entry is still there                         nack, stopall, delete, retire
//	Pwork:AGENT stream  threads that want a worker of the agent now, an    begin, claim, offer, renew, end, stop,
//	                    entry each with one field, thread                  nack, stopall, delete, retire
//	Pcounts     hash    dispatches by state, and by state and tenant; what begin, claim, end, stop, nack, stopall,
//	                    takes away alone leaves no field of none           delete, retire
//	Pinbox      zset    open suspensions: tenant, reason or any, since;    begin, end, nack, delete
//	                    namespace, any, since; of those that expire each
//	                    once more, by when
//	Plists      zset    l: threads: namespace, latest input; entries of    begin, delete, retire, forget, records, unname
//	                    the decision record: all, and those of a thread, of a
//	                    namespace, of a tenant, of a user there, the latest first
//	Pdead       zset    dead letters that were not requeued: tenant, when  nack, begin, delete, retire
//	Pnotices    stream  what became true of threads (notice.lua)           begin, activate, end, stop, claim, nack,
//	                                                                       stopall, drafts, delete, retire, records
//	Pdecisions  stream  the decision record (decision.lua)                 begin, forget, records, unname
//	Ppayloads   hash    bytes of payloads, by namespace                    payloadkeep, payloadsettle, payloaddue,
//	                                                                       delete, retire
//	Ppayloads:due
//	            zset    payloads, by when to look at them: the thread's    payloadkeep, payloadsettle, payloaddue,
//	                    hash and the digest                                delete, retire
//	Pwait       string  written before a script's WAIT                     the store itself
//	Oruns       zset    runs that count for the owner, by when they lapse  take, hold, the store itself
//	Othreads    zset    threads that count for it, by when they came: the  take, the store itself
//	                    partition and the hash; m and the thread: only made
//	Oinputs     string  when, at its rate, its latest input is due         take
//	Otokens     hash    the owner's tokens at other services, sealed: v:     tokenput, tokendrop, tokenhold
//	                    version, d: data, h: who renews it and until when,
//	                    p: the last versions that were put
//	Nnodes      hash    of a namespace: the threads that were made, or were given a  treeput, treedoom, treegone
//	                    parent, metadata or resource (tree.lua). They all lie in
//	                    one partition, so that a script sees all of a tree
//	Nindex      zset    i: by id; c: parent, r: root, s: resource, when   treeput, treedoom, treegone
//	                    made; d: being deleted, the deepest first
//	Nmeta       hash    their metadata, apart from what a script walks through;    treeput, treegone
//	                    at '' how many bytes all of them have
//	Pfelled     set     namespaces in which threads are being deleted      treedoom, treegone
//	Pmade       zset    threads that were made and never used, by their    treeput, treegone, treemade, the store
//	                    latest change                                      itself
//	Lflow       hash    a login under way: data, sealed; by: who took it   flowput, flowtake
//	Hdue        zset    webhooks, by when they may be sent                 hookread, hooktake, hooksettle, hookresend
//	Hitems      hash    their notices, and those of dead ones              hookread, hooksettle, hookcounts
//	Htries      hash    what came of the tries of those that failed        hooksettle, hookresend, hookcounts
//	Hdead       zset    dead webhooks, by when they died                   hooksettle, hookresend, hookcounts
//	prefix:targets
//	            hash    targets of webhooks: when one was last used, and   targets
//	                    whether it wants no more
//	prefix:nodes
//	            hash    what nodes tell of themselves, by node: when, and  nodes
//	                    a text; all of it goes a quarter of an hour after the latest
//	prefix:meta hash    the number of partitions, the format of it all,    start, the store itself
//	                    how inbox lists what is open, the secret by which
//	                    the tokens of events are signed
//
// Answers, tool calls and requests to stop all go when Retire looks at a thread that has rested for
// Options.Keep, and labels with their runs.
// A follower whose time is over is struck out when another follows. The record of a thread without an input expires twice Options.Follow after
// it was last followed, or Options.Keep after a stop all. The execution and its journal go
// with the execution's end; those of a dead letter when another execution begins, or after
// Options.Keep; what was archived, Options.Keep after the last rewind.
//
// A log is trimmed by number, bytes and age when a run ends or moves the snapshot on its
// way, and when Retire looks at it, up to the snapshot; large events go with their positions. Runs and their dispatches,
// dead letters too, go when Retire looks at their thread Options.Keep after their
// end, or up to an eighth of it later. The thread's latest run stays, and the runs
// of an execution that is suspended or under way. Everything else stays with the
// thread until Delete, or until it has rested for Options.ThreadTTL. For a day a record
// stays, with a new epoch and the version from which a next life goes on.
//
// A suspended thread must be small. Values that may be longer than what Redis packs (64
// bytes) are therefore kept out of the record. Who follows it is longer from the third node
// on at a time. Values that scripts only keep and hand back (records, frozen inputs,
// journals, suspensions, messages, state) may be compressed: see internal/link.
//
// A payload is looked at an hour after it was put, whether anything of its thread refers to
// it, when it expires, and once a day: a server that knows of no payloads deletes a
// thread and leaves them behind.
//
// An owner's keys bound what it gets, and prove nothing: they and those of threads change
// in different scripts. Runs lapse unless they are kept, and a list of threads that is full
// is held against the threads, a page at a time.
//
// # Mailbox
//
// A thread that wants a worker now has an entry in the stream of its partition and agent.
// The script that decides so adds it. The script after which the thread wants none, a claim
// for example, takes it out again. The group is called workers, and its consumers are
// nodes. The entry only delivers. The record says what is wanted, and the claim decides who
// gets it: whoever reads an entry that is not the one in the record has it taken out.
// Threads that come due later are in leases and ready, from where Work takes them to the
// streams.
//
// A single Redis hands each entry to one of the nodes that wait for it. Await is one
// blocking XREADGROUP on the streams of all partitions, over a connection of its own. The
// streams of a node's agents, with their group, are therefore made before anything is in
// them. A Cluster has no such command: a nudge tells all nodes there, and one of them reads.
// Scripts always send nudges, and nodes that wait in Await leave them aside. Work finds what
// is new when neither does. It also finds what comes due, and what was delivered and not
// claimed.
//
// The entry is taken out in no other way: no stream is trimmed, and a consumer is forgotten
// when it has been gone for ten minutes and holds nothing. Entries that a node has read and
// whose threads it has not claimed are given to another after WorkQuery.Idle. If another
// program takes an entry out, a server finds that out after a minute, or several if many
// wait, and adds it again. The stream of an agent stays when it is empty, with its group:
// less than a kB. XINFO GROUPS and XLEN of Pwork:AGENT show it. Every entry waits for a
// claim, so the length is what waits, and pending is what was delivered of it. Redis tells
// the lag, too, from 7 on. It does not while an entry that was never delivered has been
// taken out, such as that of a run that was stopped, or claimed by the node that released it.
//
// miniredis claims an entry that is gone with XAUTOCLAIM without striking it off what is pending, as
// Redis before 7 does; both can do no harm, since scripts acknowledge what they delete.
//
// Inbox, lists and dead are ordered byte by byte: a digest of whose a member is, a
// time, the thread's hash. A page is one range of each partition, merged, and one
// reading of what the page shows, which holds each member against the thread's
// record: digests place, they prove nothing. How many of one prefix there are the
// server knows without looking at them.
//
// An entry of Pnotices has plain fields: namespace, thread and, where there is something to say,
// tenant, owner and at. Behind them stand the notices of one decision, each of which begins with its
// kind: agent, run, label, interrupts, reasons, summaries, deadline, by and how; lists are packed, as each item's
// length, a colon and the item. A stream keeps about its share of Options.NoticeCount entries, and
// what is no older than about Options.NoticeAge.
// Decisions stay for Options.KeepDecisions, whatever becomes of their thread.
//
// There are three kinds of channels. prefix:node:ID takes three things to one node: the
// batches of the threads it follows, what the senders of inputs are owed that were stopped
// while they waited, and the loss of its claims. prefix:nudge tells all nodes that a
// partition has work of an agent, which one of them reads. Both are sent from inside the
// scripts, so that what a fenced worker tried is never heard of. They may lose messages;
// positions and Work make that good, and the log in the end tells what a sender has missed.
// On prefix:takes:AGENT nothing is sent: nodes that take runs of the agent subscribe to it,
// so that PUBSUB NUMSUB counts them, and forgets those that die.
//
// # Reading
//
// An event that tells all messages of a long thread is a mark in the log
// (internal/threadlog/marks.go). The mark reads as the event was behind the snapshot that is stored with it; when the
// snapshot has moved on, the log up to it reads as trimmed.
//
// A follower that is restated, and has not asked for a window, reads all messages of a
// thread and its state. A large thread comes in pieces of 1,024 messages or about 512 KiB:
// by HMGET, with a script behind them that looks whether the thread is the same, or by
// scripts where it has more than 8 MiB, or pieces of a change beside it. Messages
// that come meanwhile are left out. If others are changed meanwhile, the reading begins anew, and the eighth
// such is an error that may be retried. How many bytes the messages, the state and the log have is counted, by the
// scripts that change them, and told by Read: who judges inputs bounds it. A count that a
// server has left behind which keeps none is found out anew at the next reading.
//
// A window, and a page of messages, reads the end of the order and no more messages than
// wanted, or about 1 MiB. Its place is a chunk, an offset and the id that stands there: where
// something else does by now, the order is searched for the id. How many messages stand before
// it is counted when it is made, and believed where the same id stands there.
//
// A batch is one element of the log, so that Redis, its scripts and readers make no string of each
// event. A longer batch than 16 KiB is several elements, and an event that is longer, up to
// Options.LargeEvent, is one alone. Events that a script finds itself are one element, however
// many. An element says the position of its first event. A script finds a position
// by a guess and a few looks, because batches are mostly much alike.
//
// A page of a log is about 256 KiB, and no more than 4,096 events. A list that has no more than 2 MiB is read by LRANGE, if the
// reader knows from the page before where the next one begins: the elements say whether it does. A
// script behind it in the same round trip says whether the log is still that one
// (internal/threadlog/log_page.go). A longer one, and a page with a large event, are read by the
// script alone.
package lua
