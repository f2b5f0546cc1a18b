-- hold.lua: go on counting a run of an owner.
--
-- KEYS  runs
-- ARGS
--   run
--   hold  ms for which it counts
--
-- Returns 1.

redis.call('ZADD', KEY.runs, now() + tonumber(ARG.hold), ARG.run)
redis.call('PEXPIRE', KEY.runs, 2 * tonumber(ARG.hold))
return 1
