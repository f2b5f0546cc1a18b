-- stop.lua: end one run on purpose, and fence its worker.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   label     its latest run that has not ended, if no run is named
--   terminal  the terminal event of an active run; '': stop no active one
--   request   names the call
--   run       '': by label
--   queued    1: only if it is queued
--   active    1: only if it is not
--   unwatched 1: only if no other node watches the thread
--   behind    ms: only if an input waits, and has not waited for longer; 0: always
--   letter    1: a dead letter that no run has continued is cancelled, too
--   reason
--   by        who has it stopped; '': not known
--
-- Returns {stopped, queued, run, events owed, ready, epoch, logged before,
--   events logged, fenced node, fenced token, events behind the snapshot}.

local t, member = keysOf(KEYS), ARG.member
local r = open(t.rec)
local before = r.seq

local function watched()
  for node, till, sends in string.gmatch(r.nodes, FOLLOWER) do
    if node ~= NODE and tonumber(till) >= NOW and (sends == '' or node == r.node) then return true end
  end
  return false
end

local function awaited(ms)
  for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do
    local at = getRun(t, id)
    if at.status == 'queued' and at.available <= NOW and NOW - at.created <= ms then return true end
  end
  return false
end

local ids = { ARG.run }
if ARG.run == '' then ids = unpacked(redis.call('HGET', t.runs, 'l:' .. ARG.label) or '') end
local d
for i = #ids, 1, -1 do
  local at = getRun(t, ids[i])
  -- The same call sent again finds what it did the first time, and stops nothing
  -- else.
  if at and at.request == ARG.request then
    local waited = at.status == 'stopped'
    return { 1, waited and 1 or 0, at.id, waited and cancellation(t, at.id) or {}, at.ready, r.epoch, before, {}, '', '', r.seq - r.snapat }
  end
  if at and not d and (at.status == 'active' or at.status == 'queued') then d = at end
  if at and ARG.letter == '1' and at.state == 'dead_letter' and at.continued == '' then
    redis.call('ZREM', t.past, pastMember(at))
    redis.call('HDEL', t.disp, 'i:' .. at.id)
    unbury(t, at)
    move(t, at, 'cancelled')
    at.request, at.ready, at.stopper = ARG.request, 0, ARG.by
    if ARG.reason ~= '' then at.error = at.error .. '; dismissed: ' .. ARG.reason end
    putRun(t, at)
    decide(t, r)
    return { 1, 0, at.id, {}, 0, r.epoch, before, {}, '', '', r.seq - r.snapat }
  end
end
local held = d and d.status == 'active' and r.token ~= ''
if not d or held and ARG.queued == '1' or d.status == 'active' and ARG.terminal == ''
  or ARG.active == '1' and not held or ARG.unwatched == '1' and watched()
  or ARG.behind ~= '0' and not awaited(tonumber(ARG.behind)) then
  return { 0, 0, '', {}, 0, r.epoch, before, {}, '', '', r.seq - r.snapat }
end

d.request, d.stopper = ARG.request, ARG.by
local ready, node, old = 0, '', ''
local idle = r.run == '' and not suspended(t)
if d.status == 'queued' then
  gets(r, 'q') -- whatever the record says
  dequeue(t, d, 'cancelled', ARG.reason)
else
  local terminal = d.started > 0 and ARG.terminal
  node, old = cut(t, r, member, d, terminal, held and 'superseded' or 'cancelled', ARG.reason)
  dropExecution(t, r)
  idle = true
end
if idle and release(t, r, member) then
  nudge(t, r, member)
  ready = 1
end
-- What waited behind others is not logged yet.
local owed = {}
d = getRun(t, d.id)
if d.status == 'stopped' then
  owed = cancellation(t, d.id)
  tell(r, member, owed)
end
d.ready = ready
putRun(t, d)
decide(t, r)
local extra = r.extra or {}
publish(r.nodes, member, r.epoch, extra, 1, #extra, before + 1)
return { 1, #owed > 0 and 1 or 0, d.id, owed, ready, r.epoch, before, extra, node, old, r.seq - r.snapat }
