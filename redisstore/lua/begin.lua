-- begin.lua: admit one run that was judged on a version of the thread.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  version    of the view that was judged
-- ARGV[9]  deadline   Unix ms; 0: none
-- ARGV[10] keep       ms for which labels, answers and what was archived are kept
-- ARGV[11] follow     ms for which the node follows
-- ARGV[12] lease      ms
-- ARGV[13] run        id
-- ARGV[14] label
-- ARGV[15] execution
-- ARGV[16] record
-- ARGV[17] how        'queue', 'new' (execution), 'resume', 'steer' (answers and a new execution)
--                     or 'requeue' (a dead letter's execution goes on)
-- ARGV[18] token      'queue': the input
-- ARGV[19] frozen     'queue': RUN_STARTED cancelled; 'resume': the journal record of the decisions
-- ARGV[20] agent      'queue': RUN_FINISHED cancelled
-- ARGV[21] priority
-- ARGV[22] max        attempts
-- ARGV[23] dedupe     '': none
-- ARGV[24] available  Unix ms; 0: at once
-- ARGV[25] letter     the dead letter that the run goes on with; '': none
-- ARGV[26] n          number of answers
-- ARGV[27] m          number of messages to archive
-- ARGV[28] tenant
-- ARGV[29] title
-- ARGV[30] look       ms after which to look for what is past its retention
-- then                the answers, id and answer; the messages, id and message
-- then                the events to log
--
-- Returns {verdict, start, epoch, claimed, dispatch epoch, ready, holder}:
--   verdict 0 accepted, 1 stale, 2 expired, 3 the dedupe key is the holder's, 4
--   the dead letter is gone, 5 a run is active, 6 an interrupt is open and is not
--   answered, 7 no interrupt is open, 8 the suspended execution is another.
--   claimed: the run is active under the token. ready: {1 if there is one to
--   claim, logged before, events}; of a call sent again, without events.

local t, member = keysOf(KEYS), ARGV[7]
local run, how, token = ARGV[13], ARGV[17], ARGV[18]
local r = open(t.rec)

local function refused(verdict, holder) return { verdict, r.seq, r.epoch, 0, 0, {}, holder or '' } end

local again = getRun(t, run)
if again then
  local claimed = how ~= 'queue' and holds(r, run, token, r.depoch) and 1 or 0
  local since = again.status == 'queued' and redis.call('ZSCORE', t.ready, member)
  return { 0, again.admitted, r.epoch, claimed, r.depoch, { since and tonumber(since) <= NOW and 1 or 0, r.seq, {} }, '' }
end
local dedupe = ARGV[23]
local holder = dedupe ~= '' and redis.call('HGET', t.disp, 'd:' .. dedupe)
if holder then
  local d = getRun(t, holder)
  if d and not TERMINAL[d.state] then return refused(3, holder) end
end
if r.ver ~= tonumber(ARGV[8]) then return refused(1) end
local deadline = tonumber(ARGV[9])
if deadline > 0 and NOW > deadline then return refused(2) end

local waits, resumes = suspended(t), how == 'resume' or how == 'steer'
if how ~= 'queue' then
  if r.run ~= '' then return refused(5) end
  if waits and not resumes then return refused(6) end
  if resumes and not waits then return refused(7) end
  if how == 'resume' and executing(t) ~= ARGV[15] then return refused(8) end
end
local letter
if ARGV[25] ~= '' then
  letter = getRun(t, ARGV[25])
  if not letter or letter.state ~= 'dead_letter' or letter.requeued ~= '' then return refused(4) end
  if how == 'requeue' and (letter.execution ~= ARGV[15] or executing(t) ~= ARGV[15]) then return refused(4) end
end

create(t.rec, r, member, 2 * tonumber(ARGV[11]))
touch(t, r, member, ARGV[28], ARGV[29], tonumber(ARGV[30]))
local start = r.seq
local d = newRun(t, r, run, how == 'queue' and 'queued' or 'active', how == 'queue' and 'queued' or 'claimed')
d.priority, d.max, d.dedupe, d.execution = tonumber(ARGV[21]), tonumber(ARGV[22]), dedupe, ARGV[15]
redis.call('HSET', t.runs, 'r' .. d.n, ARGV[16])
label(t, ARGV[14], run)
if not waits or resumes then redis.call('PEXPIRE', t.memo, ARGV[10]) end
if dedupe ~= '' then redis.call('HSET', t.disp, 'd:' .. dedupe, run) end
follow(t.followers, tonumber(ARGV[11]))

if how == 'queue' then
  d.available = tonumber(ARGV[24])
  putRun(t, d)
  redis.call('HSET', t.disp, 'i:' .. run, ARGV[18], '1:' .. run, ARGV[19], '2:' .. run, ARGV[20])
  enqueue(t, d, rank(d))
  local ready = 0
  if r.run == '' and not waits and release(t, r, member) then
    nudge(member)
    ready = 1
  end
  local extra = r.extra or {}
  publish(t.followers, member, r.epoch, start + 1, extra, 1, #extra)
  decide(t, r)
  return { 0, start, r.epoch, 0, 0, { ready, start, extra }, '' }
end

local n = tonumber(ARGV[26])
local archived = 31 + 2 * n
local first = archived + 2 * tonumber(ARGV[27])
for i = archived, first - 1, 2 do redis.call('HSET', t.archive, ARGV[i], ARGV[i + 1]) end
if first > archived then redis.call('PEXPIRE', t.archive, ARGV[10]) end
if resumes then
  local given = {}
  for i = 31, archived - 1, 2 do
    redis.call('HSET', t.memo, 'a:' .. ARGV[i], ARGV[i + 1])
    given[#given + 1] = ARGV[i]
  end
  local closed = close(t, r, member)
  if how == 'resume' then decided(t, closed, given, ARGV[19]) end
end
if letter then
  unbury(t, letter)
  letter.requeued, letter.updated = run, math.max(NOW - letter.created, 0)
  putRun(t, letter)
  redis.call('HDEL', t.disp, 'i:' .. letter.id)
end
if how == 'resume' or how == 'requeue' then
  redis.call('PERSIST', t.journal)
  redis.call('HSET', t.runs, 'l:' .. ARGV[15], run)
else
  execute(t, ARGV[15], ARGV[20], ARGV[19])
end

append(r, t.log, t.big, ARGV, first, #ARGV)
publish(t.followers, member, r.epoch, start + 1, ARGV, first, #ARGV)

r.run, r.token, r.node, r.cn, r.attempts, r.kind = run, token, NODE, 1, 1, 'b'
r.lease, r.latest = NOW + tonumber(ARGV[12]), run
d.started = start + 1
if how == 'requeue' then d.reached = redis.call('LLEN', t.journal) end
putRun(t, d)
redis.call('ZADD', t.leases, r.lease, member)
redis.call('ZREM', t.ready, member)
decide(t, r)
return { 0, start, r.epoch, 1, r.depoch, {}, '' }
