-- treemade.lua: threads that were made, or changed, so long ago, and were not used then.
--
-- KEYS  made
-- ARGS
--   ttl    ms
--   limit
--
-- Returns their names.

return redis.call('ZRANGEBYSCORE', KEY.made, '-inf', now() - tonumber(ARG.ttl), 'LIMIT', 0, ARG.limit)
