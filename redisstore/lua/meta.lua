-- meta.lua: record how a prefix is laid out, when it is first used. It concerns no
-- thread, and stands without lib.lua.
--
-- KEYS  meta
-- ARGS
--   partitions
--   format
--   raised  the format that is there and gives way; '': it stays
--
-- Returns {partitions, format}, as they are now.

local meta = unpack(KEYS)
local partitions, format, raised = unpack(ARGV)

if redis.call('HSETNX', meta, 'partitions', partitions) == 1 then
  redis.call('HSETNX', meta, 'format', format)
else
  -- Data from before there was a number is of the first format.
  redis.call('HSETNX', meta, 'format', '1')
end
if raised ~= '' and redis.call('HGET', meta, 'format') == raised then
  redis.call('HSET', meta, 'format', format)
end
return redis.call('HMGET', meta, 'partitions', 'format')
