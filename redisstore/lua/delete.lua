-- delete.lua: forget a thread in which nothing is going on.
--
-- KEYS    the thread's keys
-- ARGV[7] member
-- ARGV[8] remember   ms for which the record keeps what must not be used again
--
-- Returns {1, epoch}, or {0, ''} when a run is active or waits, or an interrupt
--   is open. epoch: the one under which the log begins again; '' when the thread
--   was unused.

local t, member = keysOf(KEYS), ARGV[7]
local r = open(t.rec)
if r.run ~= '' or suspended(t) or redis.call('EXISTS', t.queue) == 1 then return { 0, '' } end
local input = redis.call('HGET', t.rec, 'input')
if not input then return { 1, '' } end

redis.call('ZREM', t.threads, threadMember(t, member, tonumber(input)))
redis.call('ZREM', t.ready, member)
for _, id in ipairs(runIDs(t)) do count(t, getRun(t, id).state, -1) end
redis.call('UNLINK', t.rec, t.log, t.snap, t.msgs, t.runs, t.memo, t.exec, t.journal, t.disp, t.archive,
  t.drafts)
-- Who has seen the thread as it was must not mistake its next life for it: the
-- record keeps a new epoch, and the version from which the next one goes on.
redis.call('HSET', t.rec, 'thread', member, 'epoch', ARGV[3], 'replid', history(), 'base', 1, 'seq', 0,
  'depoch', r.depoch, 'was', r.ver)
redis.call('PEXPIRE', t.rec, ARGV[8])
begun(t, member, ARGV[3])
return { 1, ARGV[3] }
