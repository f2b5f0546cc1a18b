-- begin.lua: admit one run that was judged on a version of the thread.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   version    of the view that was judged
--   deadline   Unix ms; 0: none
--   keep       ms for which labels, answers and what was archived are kept
--   follow     ms for which the node follows
--   sender     1: for no more than this run
--   lease      ms
--   look       ms after which to look for what is past its retention
--   tenant
--   owner      '': none
--   title
--   run        id
--   label
--   execution
--   record
--   priority
--   max        attempts
--   dedupe     '': none
--   kind       'enqueue', 'execute', 'resume', 'steer' or 'requeue'; what only some
--              of them take is '' or 0 for the others
--   input      enqueue
--   opens      enqueue: RUN_STARTED, should it be cancelled
--   cancels    enqueue: RUN_FINISHED cancelled
--   available  enqueue: Unix ms; 0: at once
--   token      all others
--   agent      execute, steer
--   frozen     execute, steer
--   letter     requeue: the dead letter that goes on; execute: that begins again, or ''
--   decisions  resume: the journal's entry
--   answers    resume, steer: how many
--   archived   execute, steer: how many messages
-- REST  the answers, id and answer; the messages, id and message; the events to log
--
-- Returns {verdict, start, epoch, claimed, dispatch epoch, ready, holder}:
--   verdict 0 accepted, 1 stale, 2 expired, 3 the dedupe key is the holder's, 4
--   the dead letter is gone, 5 a run is active, 6 an interrupt is open and is not
--   answered, 7 no interrupt is open, 8 the suspended execution is another.
--   claimed: the run is active under the token. ready: {1 if there is one to
--   claim, logged before, events}; of a call sent again, without events.

local t, member = keysOf(KEYS), ARG.member
local run, kind, token = ARG.run, ARG.kind, ARG.token
local r = open(t.rec)

local function refused(verdict, holder) return { verdict, r.seq, r.epoch, 0, 0, {}, holder or '' } end

local again = getRun(t, run)
if again then
  local claimed = kind ~= 'enqueue' and holds(r, run, token, r.depoch) and 1 or 0
  local since = again.status == 'queued' and redis.call('ZSCORE', t.ready, member)
  return { 0, again.admitted, r.epoch, claimed, r.depoch, { since and tonumber(since) <= NOW and 1 or 0, r.seq, {} }, '' }
end
local dedupe = ARG.dedupe
local holder = dedupe ~= '' and redis.call('HGET', t.disp, 'd:' .. dedupe)
if holder then
  local d = getRun(t, holder)
  if d and not TERMINAL[d.state] then return refused(3, holder) end
end
if r.ver ~= tonumber(ARG.version) then return refused(1) end
local deadline = tonumber(ARG.deadline)
if deadline > 0 and NOW > deadline then return refused(2) end

local waits, resumes = suspended(t), kind == 'resume' or kind == 'steer'
if kind ~= 'enqueue' then
  if r.run ~= '' then return refused(5) end
  if waits and not resumes then return refused(6) end
  if resumes and not waits then return refused(7) end
  if kind == 'resume' and executing(t) ~= ARG.execution then return refused(8) end
end
local letter
if ARG.letter ~= '' then
  letter = getRun(t, ARG.letter)
  if not letter or letter.state ~= 'dead_letter' or letter.requeued ~= '' then return refused(4) end
  if kind == 'requeue' and (letter.execution ~= ARG.execution or executing(t) ~= ARG.execution) then return refused(4) end
end

create(t.rec, r, member, 2 * tonumber(ARG.follow))
touch(t, r, member, ARG.tenant, ARG.owner, ARG.title, tonumber(ARG.look))
local start = r.seq
local d = newRun(t, r, run, kind == 'enqueue' and 'queued' or 'active', kind == 'enqueue' and 'queued' or 'claimed')
d.priority, d.max, d.dedupe, d.execution = tonumber(ARG.priority), tonumber(ARG.max), dedupe, ARG.execution
label(t, ARG.label, run)
if not waits or resumes then redis.call('PEXPIRE', t.memo, ARG.keep) end
if dedupe ~= '' then redis.call('HSET', t.disp, 'd:' .. dedupe, run) end
follow(t.followers, tonumber(ARG.follow), ARG.sender == '1' and 'sender' or nil)

if kind == 'enqueue' then
  d.available = tonumber(ARG.available)
  putRun(t, d, 'r' .. d.n, ARG.record)
  redis.call('HSET', t.disp, 'i:' .. run, ARG.input, '1:' .. run, ARG.opens, '2:' .. run, ARG.cancels)
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

local archived = REST + 2 * tonumber(ARG.answers)
local first = archived + 2 * tonumber(ARG.archived)
for i = archived, first - 1, 2 do redis.call('HSET', t.archive, ARGV[i], ARGV[i + 1]) end
if first > archived then redis.call('PEXPIRE', t.archive, ARG.keep) end
if resumes then
  local given = {}
  for i = REST, archived - 1, 2 do
    redis.call('HSET', t.memo, 'a:' .. ARGV[i], ARGV[i + 1])
    given[#given + 1] = ARGV[i]
  end
  local closed = close(t, r, member)
  if kind == 'resume' then decided(t, closed, given, ARG.decisions) end
end
if letter then
  unbury(t, letter)
  letter.requeued, letter.updated = run, math.max(NOW - letter.created, 0)
  putRun(t, letter)
  redis.call('HDEL', t.disp, 'i:' .. letter.id)
end
if kind == 'resume' or kind == 'requeue' then
  redis.call('PERSIST', t.journal)
  redis.call('HSET', t.runs, 'l:' .. ARG.execution, run)
else
  execute(t, ARG.execution, ARG.agent, ARG.frozen)
end

append(r, t.log, t.big, ARGV, first, #ARGV)
publish(t.followers, member, r.epoch, start + 1, ARGV, first, #ARGV)

r.run, r.token, r.node, r.cn, r.attempts, r.kind = run, token, NODE, 1, 1, 'b'
r.lease, r.latest = NOW + tonumber(ARG.lease), run
r.since = since(run)
d.started = start + 1
if kind == 'requeue' then d.reached = redis.call('LLEN', t.journal) end
putRun(t, d, 'r' .. d.n, ARG.record)
redis.call('ZADD', t.leases, r.lease, member)
redis.call('ZREM', t.ready, member)
decide(t, r)
return { 0, start, r.epoch, 1, r.depoch, {}, '' }
