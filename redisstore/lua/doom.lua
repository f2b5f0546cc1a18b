-- doom.lua: a thread is being deleted with all that stands below its root: no input
-- begins in it from now on.
--
-- KEYS  rec
-- ARGS
--   keep  ms for which the record is kept if nothing else is in it
--
-- Returns 1.

-- What is no record is nothing that could be kept.
local is = redis.call('TYPE', KEY.rec)
is = is.ok or is
if is ~= 'none' and is ~= 'hash' then redis.call('DEL', KEY.rec) end
redis.call('HSET', KEY.rec, 'going', 1)
if redis.call('HEXISTS', KEY.rec, 'input') == 0 then redis.call('PEXPIRE', KEY.rec, ARG.keep) end
return 1
