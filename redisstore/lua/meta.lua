-- meta.lua: record how a prefix is laid out, when it is first used. It concerns no
-- thread, and stands without lib.lua.
--
-- KEYS  meta
-- ARGS
--   partitions
--   format
--   secret       for when there is none
--
-- Returns {partitions, format, secret}, as they are now. Data of another format gets no
-- secret.

local meta = unpack(KEYS)
local partitions, format, secret = unpack(ARGV)

if redis.call('HSETNX', meta, 'partitions', partitions) == 1 then
  redis.call('HSET', meta, 'format', format)
end
local stored = redis.call('HGET', meta, 'format') or ''
if stored == format then redis.call('HSETNX', meta, 'secret', secret) end
return { redis.call('HGET', meta, 'partitions'), stored, redis.call('HGET', meta, 'secret') or '' }
