-- stop.lua: end one run on purpose, and fence its worker.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  label     its latest run that has not ended, if no run is named
-- ARGV[9]  terminal  the terminal event of an active run; '': stop no active one
-- ARGV[10] request   names the call
-- ARGV[11] run       '': by label
-- ARGV[12] waiting   1: only if it waits
-- ARGV[13] reason
--
-- Returns {stopped, queued, run, events owed, ready, epoch, logged before,
--   events logged, fenced node, fenced token}.

local t, member = keysOf(KEYS), ARGV[7]
local r = open(t.rec)
local before = r.seq

local ids = { ARGV[11] }
if ARGV[11] == '' then ids = unpacked(redis.call('HGET', t.memo, 'l:' .. ARGV[8]) or '') end
local d
for i = #ids, 1, -1 do
  local at = getRun(t, ids[i])
  -- The same call sent again finds what it did the first time, and stops nothing
  -- else.
  if at and at.request == ARGV[10] then
    local waited = at.status == 'stopped'
    return { 1, waited and 1 or 0, at.id, waited and cancellation(t, at.id) or {}, at.ready, r.epoch, before, {}, '', '' }
  end
  if at and not d and (at.status == 'active' or at.status == 'queued') then d = at end
end
local held = d and d.status == 'active' and r.token ~= ''
if not d or held and ARGV[12] == '1' or d.status == 'active' and ARGV[9] == '' then
  return { 0, 0, '', {}, 0, r.epoch, before, {}, '', '' }
end

d.request = ARGV[10]
local ready, node, old = 0, '', ''
local idle = r.run == '' and not suspended(t)
if d.status == 'queued' then
  withdraw(t, d, 'cancelled', ARGV[13])
else
  local terminal = d.started > 0 and ARGV[9]
  node, old = cut(t, r, member, d, terminal, held and 'superseded' or 'cancelled', ARGV[13])
  redis.call('DEL', t.journal)
  idle = true
end
if idle and release(t, r, member) then
  nudge(member)
  ready = 1
end
-- What waited behind others is not logged yet.
local owed = {}
d = getRun(t, d.id)
if d.status == 'stopped' then
  owed = cancellation(t, d.id)
  tell(t, member, owed)
end
d.ready = ready
putRun(t, d)
decide(t, r)
local extra = r.extra or {}
publish(t.followers, member, r.epoch, before + 1, extra, 1, #extra)
return { 1, #owed > 0 and 1 or 0, d.id, owed, ready, r.epoch, before, extra, node, old }
