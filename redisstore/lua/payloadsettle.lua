-- payloadsettle.lua: hear whether anything refers to a payload.
--
-- KEYS  payloads, payloadsDue
-- ARGS
--   thread    T, of which the keys are made
--   member    in payloadsDue
--   digest
--   staged    what was told of it
--   referred  1: something does
--
-- Returns {1}, or {0}: it is gone, or was put again meanwhile.

local line = redis.call('HGET', KEY.payloads, 'd' .. ARG.digest)
local size, created, till, staged, about = string.match(line or '', '^(%d+) (%d+) (%d+) (%d+) (.*)$')
if staged ~= ARG.staged then return { 0 } end
if ARG.referred == '1' then
  redis.call('HSET', KEY.payloads, 'd' .. ARG.digest, table.concat({ size, created, till, '0', about }, ' '))
  local look = now() + 86400000
  if till ~= '0' then look = math.min(look, tonumber(till)) end
  redis.call('ZADD', KEY.payloadsDue, look, ARG.member)
else
  unpaid(ARG.thread, ARG.digest, line)
  redis.call('ZREM', KEY.payloadsDue, ARG.member)
end
return { 1 }
