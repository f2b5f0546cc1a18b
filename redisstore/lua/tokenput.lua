-- tokenput.lua: keep a token.
--
-- KEYS  tokens
-- ARGS
--   provider
--   was      the version in whose place it comes; '': whatever is there; '-': nothing
--   version  the same as was: the token is sealed anew, and who holds it goes on holding it
--   data
--   keep     ms for which the tokens of the user are kept
--
-- Returns {1}, or {0}: another version is there. Sent again it changes nothing: somebody may
--   hold the token by now, have put another, or have deleted it.

-- p: are the last versions that were put, a space behind each.
local kept = 8

local known = redis.call('HMGET', KEY.tokens, 'v:' .. ARG.provider, 'p:' .. ARG.provider)
local at, put = known[1], known[2] or ''
local anew = ARG.version == ARG.was
if not anew and (at == ARG.version or string.find(' ' .. put, ' ' .. ARG.version .. ' ', 1, true)) then return { 1 } end
if ARG.was == '-' and at or ARG.was ~= '' and ARG.was ~= '-' and at ~= ARG.was then return { 0 } end
if anew then
  redis.call('HSET', KEY.tokens, 'd:' .. ARG.provider, ARG.data)
else
  local versions = {}
  for version in string.gmatch(put .. ARG.version, '%S+') do versions[#versions + 1] = version end
  put = table.concat(versions, ' ', math.max(1, #versions - kept + 1)) .. ' '
  redis.call('HSET', KEY.tokens, 'v:' .. ARG.provider, ARG.version, 'd:' .. ARG.provider, ARG.data, 'p:' .. ARG.provider, put)
  redis.call('HDEL', KEY.tokens, 'h:' .. ARG.provider)
end
redis.call('PEXPIRE', KEY.tokens, ARG.keep)
return { 1 }
