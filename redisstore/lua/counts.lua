-- counts.lua: how many dispatches of a partition there are.
--
-- KEYS  counts
-- REST  the fields wanted, as run.lua's count names them
--
-- Returns their numbers, absent where there is none.

return redis.call('HMGET', KEY.counts, unpack(ARGV, REST))
