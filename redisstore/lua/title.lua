-- title.lua: name a thread.
--
-- KEYS  rec
-- ARGS
--   title  '' takes the name away
--
-- Returns 1, or 0 when the thread was never used.

local rec = KEY.rec
if redis.call('HEXISTS', rec, 'input') == 0 then return 0 end
if ARG.title == '' then redis.call('HDEL', rec, 'title') else redis.call('HSET', rec, 'title', ARG.title) end
return 1
