-- stopall.lua: raise the thread's dispatch epoch, and supersede every dispatch
-- that is queued or claimed.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   request   names the call
--   active    the run that was seen active; '': none
--   terminal  the event to end it with, if it was activated
--   reason
--   by        who has them stopped; '': not known
--   instead   the run for which; '': none
--   keep      ms for which the call is recognised in a thread without an input
--   repair    1: take out what cannot be read, and end whichever run is active
--
-- Returns {stale, dispatch epoch, active, superseded, owed, epoch, logged before,
--   events logged, fenced node, fenced token, events behind the snapshot}; owed holds for each of superseded
--   its two events, or nothing if they are logged.

local t, member = keysOf(KEYS), ARG.member
if ARG.repair == '1' then repair(t) end
local r = open(t.rec)
local before = r.seq

local function owed(ids)
  local out, of = {}, cancellations(t, ids, 1)
  for i, id in ipairs(ids) do out[i] = of[id] or {} end
  return out
end

local again = redis.call('HGET', t.runs, 'x:' .. ARG.request)
if again then
  local ids = unpacked(again)
  local epoch, active = tonumber(table.remove(ids, 1)), table.remove(ids, 1)
  return { 0, epoch, active, ids, owed(ids), r.epoch, before, {}, '', '', r.seq - r.snapat }
end
if r.run ~= '' and r.run ~= ARG.active and ARG.repair ~= '1' then return { 1, r.depoch, '', {}, {}, r.epoch, before, {}, '', '', r.seq - r.snapat } end

create(t.rec, r, member, tonumber(ARG.keep))
r.depoch = r.depoch + 1
local ids, active, node, old = {}, r.run, '', ''
local waiting = redis.call('ZRANGE', t.queue, 0, -1)
if #waiting > 0 then gets(r, 'q') end -- whatever the record says
linesAhead(t, waiting, 1)
together(t, function()
  for _, id in ipairs(waiting) do
    local d = getRun(t, id)
    if d.status == 'queued' then
      d.stopper, d.instead = ARG.by, ARG.instead
      dequeue(t, d, 'superseded', ARG.reason)
      ids[#ids + 1] = id
    end
  end
  local d = active ~= '' and getRun(t, active)
  if d then
    d.stopper, d.instead = ARG.by, ARG.instead
    node, old = cut(t, r, member, d, (d.started > 0 or ARG.repair == '1') and ARG.terminal, 'superseded', ARG.reason)
  elseif active ~= '' then -- the repair lost it
    node, old = r.node, r.token
    log(t, r, unpacked(mayHave(r, 'c') and redis.call('GET', t.closing) or ''))
    log(t, r, { ARG.terminal })
    r.bound = r.seq
    notice(t, member, 'run.ended', { run = active, how = 'cancel' })
    fenced(node, member, old)
    unclaim(t, r, member)
  end
  if active ~= '' then dropExecution(t, r) end
  if not suspended(t) then release(t, r, member) end
end)
redis.call('HSET', t.runs, 'x:' .. ARG.request, packed({ r.depoch, active }, 1, 2) .. packed(ids, 1, #ids))
if r.ver == 0 then redis.call('PEXPIRE', t.runs, ARG.keep) end -- as the record of a thread without an input
decide(t, r)
local extra = r.extra or {}
publish(r.nodes, member, r.epoch, extra, 1, #extra, before + 1)
local untold = owed(ids)
for _, events in ipairs(untold) do
  if #events > 0 then tell(r, member, events) end
end
return { 0, r.depoch, active, ids, untold, r.epoch, before, extra, node, old, r.seq - r.snapat }
