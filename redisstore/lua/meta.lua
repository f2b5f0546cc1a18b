-- meta.lua: record how a prefix is laid out, when it is first used. It concerns no
-- thread, and stands without lib.lua.
--
-- KEYS[1] meta
-- ARGV[1] partitions
-- ARGV[2] format
-- ARGV[3] raised  the format that is there and gives way; '': it stays
--
-- Returns {partitions, format}, as they are now.

local meta = KEYS[1]
if redis.call('HSETNX', meta, 'partitions', ARGV[1]) == 1 then
  redis.call('HSETNX', meta, 'format', ARGV[2])
else
  -- Data from before there was a number is of the first format.
  redis.call('HSETNX', meta, 'format', '1')
end
if ARGV[3] ~= '' and redis.call('HGET', meta, 'format') == ARGV[3] then
  redis.call('HSET', meta, 'format', ARGV[2])
end
return redis.call('HMGET', meta, 'partitions', 'format')
