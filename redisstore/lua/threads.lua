-- threads.lua: what a list says of threads, found by their members in it.
--
-- KEYS  for each: rec, queue, runs
--
-- Returns for each: {thread, title, latest input, active, interrupts are open,
--   queued inputs, the active run, the latest one, whose that is, tenant, that one has
--   failed, packed reasons of what waits and asks nobody, its deadline in ms or 0, when
--   all that asks somebody has expired in ms or 0, first input or 0}; latest input -1: it
--   was named before its first one; {} when it was neither, or deleted.

local out = {}
for k = 1, #KEYS, 3 do
  local rec, queue, runs = unpack(KEYS, k, k + 2)
  local v = redis.pcall('HMGET', rec, 'thread', 'title', 'input', 'run', 'latest', 'tenant', 'first')
  -- One that cannot be read is listed as if it were at rest, or not.
  local ok, waits = pcall(suspended, { runs = runs })
  waits = ok and waits
  local readable, _, head = pcall(suspension, { runs = runs })
  local silent = waits and readable and quiet(head)
  local queued = redis.pcall('ZCARD', queue)
  local known, d = pcall(getRun, { runs = runs }, v[5] or '')
  d = known and d or nil
  out[#out + 1] = (v[3] or v[2]) and { v[1], v[2], v[3] and (tonumber(v[3]) or 0) or -1, (v[4] or '') ~= '' and 1 or 0, waits and 1 or 0,
    type(queued) == 'number' and queued or 0, v[4] or '', v[5] or '', d and d.agent or '', v[6] or '',
    d and (d.failed ~= '' or d.state == 'dead_letter') and 1 or 0,
    silent and head[6] or '', silent and math.max((tonumber(head[7]) or 0) - 1, 0) or 0,
    waits and readable and not silent and tonumber(head[8]) or 0, tonumber(v[7]) or 0 } or {}
end
return out
