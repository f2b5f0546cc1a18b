-- payloadread.lua: what a thread says of a payload, and a piece of it.
--
-- KEYS  payloads, payload
-- ARGS
--   digest
--   piece   its number; -1: none is wanted
--
-- Returns {state, line, data}: state 0: there is none, 1: it is there, 2: it has expired.

local v = redis.call('HMGET', KEY.payloads, 'd' .. ARG.digest, 'g' .. ARG.digest)
if not v[1] then return { v[2] and 2 or 0, v[2] or '', '' } end
local till = tonumber(string.match(v[1], '^%d+ %d+ (%d+) ') or 0)
if till > 0 and till <= now() then return { 2, v[1], '' } end
local data = tonumber(ARG.piece) >= 0 and redis.call('HGET', KEY.payload, ARG.piece) or ''
return { 1, v[1], data }
