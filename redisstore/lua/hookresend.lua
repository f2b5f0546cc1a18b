-- hookresend.lua: let a dead webhook be sent again.
--
-- KEYS  due, tries, dead
-- ARGS
--   id
--
-- Returns 1 when it waits to be sent.

if redis.call('ZREM', KEY.dead, ARG.id) == 1 then
  redis.call('HDEL', KEY.tries, ARG.id)
  redis.call('ZADD', KEY.due, now(), ARG.id)
  return 1
end
return redis.call('ZSCORE', KEY.due, ARG.id) and 1 or 0
