-- counts.lua: the dispatches of a partition by state.
--
-- KEYS[1] counts
--
-- Returns state and number, one after the other.

return redis.call('HGETALL', KEYS[1])
