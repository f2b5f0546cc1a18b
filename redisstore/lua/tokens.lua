-- tokens.lua: the tokens of a user, by provider.
--
-- KEYS  tokens
--
-- Returns fields and values: v: and the provider its version, d: its data, h: who holds it, p: the last
--   versions that were put.

return redis.call('HGETALL', KEY.tokens)
