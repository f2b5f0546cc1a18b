-- hookcounts.lua: count what a target is owed, without the dead ones that are past their
-- time, of which some go.
--
-- KEYS  due, items, tries, dead
-- ARGS
--   keep  ms
--
-- Returns {how many wait, of them those of which a try has failed, dead ones}.

local past = now() - tonumber(ARG.keep)
local old = redis.call('ZRANGEBYSCORE', KEY.dead, '-inf', past, 'LIMIT', 0, 100)
if old[1] then
  redis.call('ZREM', KEY.dead, unpack(old))
  redis.call('HDEL', KEY.items, unpack(old))
  redis.call('HDEL', KEY.tries, unpack(old))
end
local all = redis.call('ZCARD', KEY.dead)
return { redis.call('ZCARD', KEY.due), redis.call('HLEN', KEY.tries) - all, redis.call('ZCOUNT', KEY.dead, '(' .. past, '+inf') }
