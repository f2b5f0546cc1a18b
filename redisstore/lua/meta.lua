-- meta.lua: record how a prefix is laid out, when it is first used. It concerns no
-- thread, and stands without lib.lua.
--
-- KEYS  meta
-- ARGS
--   partitions
--   format
--
-- Returns {partitions, format}, as they are now.

local meta = unpack(KEYS)
local partitions, format = unpack(ARGV)

if redis.call('HSETNX', meta, 'partitions', partitions) == 1 then
  redis.call('HSET', meta, 'format', format)
end
return { redis.call('HGET', meta, 'partitions'), redis.call('HGET', meta, 'format') or '' }
