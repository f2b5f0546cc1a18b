// Package redisstore is store.Store on Redis: one server, Sentinel or Cluster,
// or miniredis inside the process.
//
// [Open] takes the URL of a Redis, and [Embedded] needs none: what it keeps ends with the
// process. Programs with the same Options.Prefix share their threads, and take over runs
// from each other by the agent's name. Give each service a prefix of its own.
//
// The stored format has a number, recorded when the prefix is first used. A store does not
// open on data of another number. Servers of different releases may share the data when both
// write the same number.
//
// A program calls Open, New or Embedded, Close, Warnings and ErasePerson. The other methods are
// for the runner.
//
// # Guarantees
//
// Each call that decides happens entirely or not at all, by Redis's clock. It can be made
// again after ErrOutcomeUnknown, and finds what it did. A thread whose data cannot be read
// answers store.ErrCorrupted and holds up no other. StopAll with Repair, and Erase, take out what
// is in their way.
//
// # Limits
//
// Redis replicates asynchronously: a fail-over may forget what was acknowledged.
// It is noticed, not prevented: the thread's log epoch is another from then on.
// Options.WaitReplicas makes every deciding call wait until so many replicas have what it
// wrote. WAIT is no consensus: a replica that has less may still be promoted, by hand or by a
// Sentinel that does not see the others. Followers on other nodes hear of a write
// before the replicas have it.
//
// While a thread is used at least once in Options.Keep, its answers do not expire. A label
// finds its latest 32 runs and no others, so that a repeat of an earlier one is taken for a new
// input. A node whose clock is behind looks late for what is past its retention; none takes
// anything too soon.
//
// Readers take a part of the connections to a server, and leave the others to those who
// write. A reader waits as long as its context allows.
//
// # Cluster
//
// A master that does not answer is missed by its own threads and by nobody else. Calls that
// ask all of them go on with those that answer, and wrap store.ErrPartial. The cursor behind a
// partial page names the partitions that were missing, and a walk that goes on later loses
// nothing. A store opens without some of the masters (a Warning says so), unless one of them
// has what records the number of partitions and the format. Redis itself stops serving all
// slots when one of them is not served, once the masters have agreed that its master is gone:
// set cluster-require-full-coverage no if the others are to go on.
package redisstore
