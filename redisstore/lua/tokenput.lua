-- tokenput.lua: keep a token.
--
-- KEYS  tokens
-- ARGS
--   provider
--   was      the version in whose place it comes; '': whatever is there
--   version  the same as was: the token is sealed anew, and who holds it goes on holding it
--   data
--   keep     ms for which the tokens of the user are kept
--
-- Returns {1}, or {0}: another version is there. Sent again it changes nothing: somebody may
--   hold the token by now.

local at = redis.call('HGET', KEY.tokens, 'v:' .. ARG.provider)
local anew = ARG.version == ARG.was
if at == ARG.version and not anew then return { 1 } end
if ARG.was ~= '' and at ~= ARG.was then return { 0 } end
redis.call('HSET', KEY.tokens, 'v:' .. ARG.provider, ARG.version, 'd:' .. ARG.provider, ARG.data)
if not anew then redis.call('HDEL', KEY.tokens, 'h:' .. ARG.provider) end
redis.call('PEXPIRE', KEY.tokens, ARG.keep)
return { 1 }
