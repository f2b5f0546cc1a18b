-- flowtake.lua: take a flow, once. Who has taken it gets it again until its time is over.
--
-- KEYS  flow
-- ARGS
--   by  names the caller
--
-- Returns {data, used}: '' and 0: there is none.

local known = redis.call('HMGET', KEY.flow, 'data', 'by')
if not known[1] then return { '', 0 } end
if known[2] and known[2] ~= ARG.by then return { '', 1 } end
redis.call('HSET', KEY.flow, 'by', ARG.by)
return { known[1], 0 }
