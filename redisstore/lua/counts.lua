-- counts.lua: how many dispatches of a partition there are.
--
-- KEYS[1] counts
-- ARGV[7] and on: the fields wanted, as run.lua's count names them
--
-- Returns their numbers, absent where there is none.

return redis.call('HMGET', KEYS[1], unpack(ARGV, 7))
