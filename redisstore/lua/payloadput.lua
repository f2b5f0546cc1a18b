-- payloadput.lua: keep a piece of a payload that is under way.
--
-- KEYS  upload
-- ARGS
--   piece  its number
--   data
--   grace  ms for which what has come is kept

redis.call('HSET', KEY.upload, ARG.piece, ARG.data)
redis.call('PEXPIRE', KEY.upload, ARG.grace)
return {}
