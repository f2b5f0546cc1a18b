-- title.lua: name a thread.
--
-- KEYS[1] rec
-- ARGV[7] title   '' takes the name away
--
-- Returns 1, or 0 when the thread was never used.

local rec = KEYS[1]
if redis.call('HEXISTS', rec, 'input') == 0 then return 0 end
if ARGV[7] == '' then redis.call('HDEL', rec, 'title') else redis.call('HSET', rec, 'title', ARGV[7]) end
return 1
