-- tokenhold.lua: let one caller work at a token.
--
-- KEYS  tokens
-- ARGS
--   provider
--   version   that it must be
--   by        names the caller
--   hold      ms
--
-- Returns {1}, or {0}: somebody else holds it, or it is another version.

if redis.call('HGET', KEY.tokens, 'v:' .. ARG.provider) ~= ARG.version then return { 0 } end
local held = redis.call('HGET', KEY.tokens, 'h:' .. ARG.provider)
if held then
  local ends, by = string.match(held, '^(%d+):(.*)$')
  if by ~= ARG.by and tonumber(ends) > now() then return { 0 } end
end
redis.call('HSET', KEY.tokens, 'h:' .. ARG.provider, string.format('%.0f', now() + tonumber(ARG.hold)) .. ':' .. ARG.by)
return { 1 }
