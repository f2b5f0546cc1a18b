-- threads.lua: what a list says of threads, found by their members in it.
--
-- KEYS for each: rec, journal, queue
--
-- Returns for each: {thread, title, latest input, active, interrupts are open,
--   waiting inputs}; {} when it was deleted.

local out = {}
for k = 1, #KEYS, 3 do
  local rec, journal, queue = KEYS[k], KEYS[k + 1], KEYS[k + 2]
  local v = redis.call('HMGET', rec, 'thread', 'title', 'input', 'run')
  out[#out + 1] = v[3] and { v[1], v[2], v[3], (v[4] or '') ~= '' and 1 or 0, suspended({ journal = journal }) and 1 or 0,
    redis.call('ZCARD', queue) } or {}
end
return out
