-- tokenput.lua: keep a token.
--
-- KEYS  tokens
-- ARGS
--   provider
--   was      the version in whose place it comes; '': whatever is there
--   version
--   data
--   keep     ms for which the tokens of the user are kept
--
-- Returns {1}, or {0}: another version is there. Sent again it changes nothing: somebody may
--   hold the token by now.

local at = redis.call('HGET', KEY.tokens, 'v:' .. ARG.provider)
if at == ARG.version then return { 1 } end
if ARG.was ~= '' and at ~= ARG.was then return { 0 } end
redis.call('HSET', KEY.tokens, 'v:' .. ARG.provider, ARG.version, 'd:' .. ARG.provider, ARG.data)
redis.call('HDEL', KEY.tokens, 'h:' .. ARG.provider)
redis.call('PEXPIRE', KEY.tokens, ARG.keep)
return { 1 }
