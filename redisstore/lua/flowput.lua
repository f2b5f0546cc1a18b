-- flowput.lua: keep what a flow of a login needs.
--
-- KEYS  flow
-- ARGS
--   data
--   keep  ms
--
-- Returns 1.

redis.call('DEL', KEY.flow)
redis.call('HSET', KEY.flow, 'data', ARG.data)
redis.call('PEXPIRE', KEY.flow, ARG.keep)
return 1
