-- interrupt.lua: raise the thread's dispatch epoch, and supersede every dispatch
-- that is queued or claimed.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  request   names the call
-- ARGV[9]  active    the run that was seen active; '': none
-- ARGV[10] terminal  the event to end it with, if it has started
-- ARGV[11] reason
-- ARGV[12] keep      ms for which the call is recognised at rest
-- ARGV[13] repair    1: take out what cannot be read, and end whichever run is active
--
-- Returns {stale, dispatch epoch, active, superseded, owed, epoch, logged before,
--   events logged, fenced node, fenced token}; owed holds for each of superseded
--   its two events, or nothing if they are logged.

local t, member = keysOf(KEYS), ARGV[7]
if ARGV[13] == '1' then repair(t) end
local r = open(t.rec)
local before = r.seq

local function owed(ids)
  local out = {}
  for i, id in ipairs(ids) do
    local d = getRun(t, id)
    out[i] = d and d.status == 'stopped' and cancellation(t, id) or {}
  end
  return out
end

local again = redis.call('HGET', t.memo, 'x:' .. ARGV[8])
if again then
  local ids = unpacked(again)
  local epoch, active = tonumber(table.remove(ids, 1)), table.remove(ids, 1)
  return { 0, epoch, active, ids, owed(ids), r.epoch, before, {}, '', '' }
end
if r.run ~= '' and r.run ~= ARGV[9] and ARGV[13] ~= '1' then return { 1, r.depoch, '', {}, {}, r.epoch, before, {}, '', '' } end

create(t.rec, r, member, tonumber(ARGV[12]))
r.depoch = r.depoch + 1
local ids, active, node, old = {}, r.run, '', ''
for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do
  local d = getRun(t, id)
  if d.status == 'queued' then
    withdraw(t, d, 'superseded', ARGV[11])
    ids[#ids + 1] = id
  end
end
if active ~= '' then
  local d = getRun(t, active)
  if d then
    node, old = cut(t, r, member, d, (d.started > 0 or ARGV[13] == '1') and ARGV[10], 'superseded', ARGV[11])
  else -- the repair lost it
    node, old = r.node, r.token
    log(t, r, unpacked(redis.call('GET', t.closing) or ''))
    log(t, r, { ARGV[10] })
    r.bound = r.seq
    fenced(node, member, old)
    unclaim(t, r, member)
  end
  redis.call('DEL', t.journal)
end
redis.call('HSET', t.memo, 'x:' .. ARGV[8], table.concat(pack(pack({}, { r.depoch, active }, 1, 2), ids, 1, #ids)))
if not suspended(t) then
  release(t, r, member)
  redis.call('PEXPIRE', t.memo, ARGV[12])
end
decide(t, r)
local extra = r.extra or {}
publish(t.followers, member, r.epoch, before + 1, extra, 1, #extra)
local untold = owed(ids)
for _, events in ipairs(untold) do
  if #events > 0 then tell(t, member, events) end
end
return { 0, r.depoch, active, ids, untold, r.epoch, before, extra, node, old }
