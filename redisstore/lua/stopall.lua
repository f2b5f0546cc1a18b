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
--   seen      repair: how many elements of the log the caller has looked at, and that is all
--   tail      the last of them; '': there is none
--   left      how many of them go: those behind which all can be read, and follow each other
--   first     of what is left, the position of the first event; 0: nothing is
--   behind    that behind the first element
--   last      that of the last event
--   bytes     of what is left
--
-- Returns {2}: the log is another by now, and nothing is changed. Else {stale, dispatch epoch, active, superseded, owed, epoch, logged before,
--   events logged, fenced node, fenced token, events behind the snapshot}; owed holds for each of superseded
--   its two events, or nothing if they are logged.

local t, member = keysOf(KEYS), ARG.member

-- seen reports whether the log is the one that the caller has looked at. What is no list has nothing.
local function seen()
  local n = redis.pcall('LLEN', t.log)
  if type(n) ~= 'number' then n = 0 end
  return n == tonumber(ARG.seen) and (n == 0 or redis.call('LINDEX', t.log, -1) == ARG.tail)
end

-- relog cuts the log. It says itself where it begins and ends, and how long it is, under another epoch if
-- it does not begin and end where the record said, or that was not to be read: unplaced.
local function relog(unplaced)
  redis.call('LTRIM', t.log, ARG.left, -1)
  local v = redis.call('HMGET', t.rec, 'base', 'seq', 'snapat', 'told')
  local base, seq, snapat = tonumber(v[1] or 1), tonumber(v[2] or 0), tonumber(v[3] or 0)
  local first, behind, last = tonumber(ARG.first), tonumber(ARG.behind), tonumber(ARG.last)
  local same = first > 0 and seq == last and base >= first and base < behind or first == 0 and seq == base - 1
  if same and not unplaced then return end
  if first == 0 then
    last = math.max(seq, base - 1, 0)
    first = last + 1
  end
  redis.call('HSET', t.rec, 'base', first, 'seq', last, 'len', ARG.bytes, 'epoch', ARG.fresh,
    'snapat', math.max(math.min(snapat, last), first - 1))
  -- Nobody has a position in the new epoch yet, and where marks are now is not known.
  if tonumber(string.match(v[4] or '', '^%d+') or 0) > 0 then redis.call('HSET', t.rec, 'told', last .. ' ' .. last) end
end

if ARG.repair == '1' then
  if not seen() then return { 2 } end
  relog(repair(t))
end
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
