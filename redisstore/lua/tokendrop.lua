-- tokendrop.lua: delete a token.
--
-- KEYS  tokens
-- ARGS
--   provider
--   version   that it must be; '': whatever it is
--
-- Returns {1}, or {0}: there is none, or another version.

local at = redis.call('HGET', KEY.tokens, 'v:' .. ARG.provider)
if not at or ARG.version ~= '' and at ~= ARG.version then return { 0 } end
redis.call('HDEL', KEY.tokens, 'v:' .. ARG.provider, 'd:' .. ARG.provider, 'h:' .. ARG.provider)
return { 1 }
