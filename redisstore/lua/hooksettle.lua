-- hooksettle.lua: say what came of a webhook that was taken.
--
-- KEYS  due, items, tries, dead
-- ARGS
--   id
--   held    until when it was held by whoever says so
--   result  0 sent, 1 to be tried again, 2 dead
--   delay   ms until it is tried again
--   said    what its tries came to; '': there were none
--   most    how many dead ones are kept
--
-- Returns 1 when it counts.

local id = ARG.id
local due = redis.call('ZSCORE', KEY.due, id)
if not due then return 0 end
if ARG.result == '0' then
  redis.call('ZREM', KEY.due, id)
  redis.call('HDEL', KEY.items, id)
  redis.call('HDEL', KEY.tries, id)
  return 1
end
if tonumber(due) ~= tonumber(ARG.held) then return 0 end
if ARG.said ~= '' then redis.call('HSET', KEY.tries, id, ARG.said) end
if ARG.result == '1' then
  redis.call('ZADD', KEY.due, now() + tonumber(ARG.delay), id)
  return 1
end
redis.call('ZREM', KEY.due, id)
redis.call('ZADD', KEY.dead, now(), id)
local over = redis.call('ZCARD', KEY.dead) - tonumber(ARG.most)
if over > 0 then
  local oldest = redis.call('ZRANGE', KEY.dead, 0, math.min(over, 100) - 1)
  redis.call('ZREM', KEY.dead, unpack(oldest))
  redis.call('HDEL', KEY.items, unpack(oldest))
  redis.call('HDEL', KEY.tries, unpack(oldest))
end
return 1
