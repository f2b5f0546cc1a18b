-- title.lua: name a thread, in a way that inputs leave alone.
--
-- KEYS  rec
-- ARGS
--   title   '' takes the name away
--   unused  0: only a thread that had an input; 1: any; 2: only one that had none
--   member
--   keep    ms for which the record of such a thread is kept if it has no name
--
-- Returns 1, or 0 when the thread is none of those.

local rec = KEY.rec
local used = redis.call('HEXISTS', rec, 'input') == 1
if ARG.unused == (used and '2' or '0') then return 0 end
if ARG.title == '' then
  if redis.call('HDEL', rec, 'title', 'named') > 0 and not used then redis.call('PEXPIRE', rec, ARG.keep) end
else
  redis.call('HSET', rec, 'title', ARG.title, 'named', 1)
  if not used then
    redis.call('HSET', rec, 'thread', ARG.member)
    redis.call('PERSIST', rec)
  end
end
return 1
