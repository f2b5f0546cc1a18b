// Package redisstore is store.Store on Redis: one server, Sentinel or Cluster,
// or miniredis inside the process.
//
// [Open] takes the URL of a Redis, and [Embedded] needs none: what it keeps ends with the
// process. Programs with the same Options.Prefix share their threads, and take over runs
// from each other by the agent's name. Give each service a prefix of its own.
//
// # Format
//
// The stored format has a number, recorded when the prefix is first used:
// internal/link/format.go says what raises it. A store does not open on data of another number. Servers of different
// releases may share the data when both write the same number.
//
// # Guarantees
//
// Each call that decides is one script: it happens entirely or not at all. A script decides
// by Redis's clock and validates before its first write. Sent again after
// ErrOutcomeUnknown a call finds what it did: runs by id, claims by token, batches
// by number, what gives a claim up by its token, stop and stop all by their
// requests.
//
// Leases are renewed over four connections to each server that nothing else uses, so
// that no number of calls that wait for the others costs a run its claim. Renewals of a
// partition that are asked for at the same time share a round trip.
//
// A log epoch belongs to one history of the data, named by master_replid. When
// that changes (a restart, a fail-over) the thread's epoch is another from the
// next script on, while positions, log, journal and claims stay. A writer whose
// expected position lies beyond the log is told CommitAhead.
//
// A script that stumbles over a thread's data answers store.ErrCorrupted. Pages
// over threads mark, or leave out, those that they cannot read. Interrupt with Repair,
// and Erase, take out what is in their way: repair.lua.
//
// # Cluster
//
// A master that does not answer is missed by its own threads and by nobody else: there
// are connections, committers and limits of readers for each. Calls that ask all of them
// (Work, Tail, Retire, the counts and the lists) go on with those that answer, and wrap
// store.ErrPartial. Runs and threads of an owner whose keys are there are not counted. A
// master that has not answered a call is pinged. Until it answers, such calls do not go
// there, so that they wait for it no more than once. The cursor behind a partial page names
// the partitions that were missing, which come first on the next one, so that a walk that
// goes on later loses nothing; it fails when they are all that is left. A store opens
// without some of the masters (a Warning says so), unless what records the number of
// partitions and the format is on one of them. Redis itself stops serving all slots when
// one of them is not served, once the masters have agreed that its master is gone: set
// cluster-require-full-coverage no where the others are to go on.
//
// # Limits
//
// Redis replicates asynchronously: a fail-over may forget what was acknowledged.
// It is noticed (above), not prevented, unless Options.WaitReplicas makes every
// deciding script wait until so many replicas have what it wrote. WAIT is no
// consensus: a replica that has less may still be promoted, by hand or by a
// Sentinel that does not see the others. Followers on other nodes hear of a write
// before the replicas have it. A lease that has expired can be renewed
// and written under until another claim is granted. A log in use
// may keep events for half of Options.RetainAge more than that. While a thread is
// used at least once in Options.Keep, the answers and requests in its memo do not
// expire. A label finds its latest 32 runs and no others, so that a repeat of an
// earlier one is taken for a new input. A node whose clock is behind looks late for
// what is past its retention; none takes anything too soon.
//
// A script that writes does what is new, and takes well below 5 ms of the server however long its
// thread is. Retire takes no more from the head of a log that has become too old than 6,000
// events, or 1 MiB, at a time, and goes on at once. Four decisions over much take longer.
// They cannot be made by halves, since readers would see half of it, and a server that dies
// in between would leave it so. A run that begins and takes messages back takes 0.5 to 1.2
// µs for each on a machine that is busy. The end of that run takes 3 to 9 µs for each. The
// end of one that told so many new ones takes 1.3 to 5 µs for each. Stopping all takes 60
// to 215 µs for each input that waits. A thread of 50,000 messages that is rewound to its
// beginning therefore keeps its server for 0.03 to 0.06 s and then 0.14 to 0.44 s, and
// stopping all of 1,000 inputs for 0.06 to 0.2 s. The bounds of these are those of a
// thread's size, of a frame and of a queue. Events that an end or a checkpoint makes too
// many for a log are taken from it at once, 0.7 to 1.5 µs for each. They are as many as
// were logged before, and a log that gave up fewer would outgrow its bounds.
//
// Readers take a part of the connections to a server, and leave the others to those
// who write. A read of more than 256 KiB waits for its turn: four of them go at once,
// or fewer where there are few connections, with 32 MiB between them, and of one thread
// one at a time. A reader waits as long as its context allows.
//
// Package lua, beside this one, describes the keys and what the scripts write to them.
package redisstore
