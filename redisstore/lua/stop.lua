-- stop.lua: end the latest run under a label on purpose, and fence its worker.
--
-- KEYS    the thread's keys
-- ARGV[7] member
-- ARGV[8] label
-- ARGV[9] terminal  the terminal event of an active run
-- ARGV[10] request  names the call
--
-- Returns {stopped, queued, run, events owed, ready, epoch, logged before,
--   events logged, fenced node, fenced token}.

local t, member = keysOf(KEYS), ARGV[7]
local r = open(t.rec)
local before = r.seq

local ids = unpacked(redis.call('HGET', t.labels, ARGV[8]) or '')
local run, status, admitted, started, execution
for i = #ids, 1, -1 do
  status, admitted, started, execution = runState(t, ids[i])
  if status == 'active' or status == 'queued' then
    run = ids[i]
    break
  end
end

-- The same call sent again finds what it did the first time, and stops nothing
-- else.
for i = #ids, 1, -1 do
  local id = ids[i]
  if redis.call('HGET', t.runs, 'q:' .. id) == ARGV[10] then
    if runState(t, id) == 'stopped' then
      return { 1, 1, id, redis.call('HMGET', t.disp, '1:' .. id, '2:' .. id), 0, r.epoch, before, {}, '', '' }
    end
    return { 1, 0, id, {}, 0, r.epoch, before, {}, '', '' }
  end
end
if not run then return { 0, 0, '', {}, 0, r.epoch, before, {}, '', '' } end
redis.call('HSET', t.runs, 'q:' .. run, ARGV[10])

local queued, owed, ready, node, old = 0, {}, 0, '', ''
local idle = r.run == '' and redis.call('EXISTS', t.susp) == 0
if status == 'queued' then
  setRun(t, run, 'stopped', admitted, 0, execution)
  if not idle then
    queued = 1
    owed = redis.call('HMGET', t.disp, '1:' .. run, '2:' .. run)
  end
else
  node, old = r.node, r.token
  local terminal = ARGV[9]
  if started > 0 then
    log(t, r, unpacked(r.closing))
    log(t, r, { terminal })
  else
    local events = redis.call('HMGET', t.disp, '1:' .. run, '2:' .. run)
    terminal = events[2]
    log(t, r, events)
    started = r.seq - 1
    r.latest = run
  end
  r.bound = r.seq
  setRun(t, run, 'ended', admitted, started, execution)
  redis.call('HSET', t.runs, 't:' .. run, terminal, 'k:' .. run, STOPPED)
  redis.call('HDEL', t.disp, 'i:' .. run, '1:' .. run, '2:' .. run)
  redis.call('DEL', t.exec, t.journal)
  fenced(node, member, old)
  unclaim(t, r, member)
  idle = true
end
if idle and release(t, r, member) then
  nudge(member)
  ready = 1
end
-- Behind others in a released queue it is not logged yet.
if status == 'queued' and queued == 0 and runState(t, run) == 'stopped' then
  queued = 1
  owed = redis.call('HMGET', t.disp, '1:' .. run, '2:' .. run)
end
decide(t, r)
local extra = r.extra or {}
publish(t.followers, member, r.epoch, before + 1, extra, 1, #extra)
return { 1, queued, run, owed, ready, r.epoch, before, extra, node, old }
