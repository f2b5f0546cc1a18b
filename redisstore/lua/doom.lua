-- doom.lua: a thread is being deleted with all that stands below its root: no input
-- begins in it from now on.
--
-- KEYS  rec
-- ARGS
--   keep  ms for which the record is kept if nothing else is in it
--
-- Returns 1.

redis.call('HSET', KEY.rec, 'going', 1)
if redis.call('HEXISTS', KEY.rec, 'input') == 0 then redis.call('PEXPIRE', KEY.rec, ARG.keep) end
return 1
