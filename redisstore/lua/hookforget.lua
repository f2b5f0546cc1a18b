-- hookforget.lua: end what a target is owed of a partition.
--
-- KEYS  notices, due, items, tries, dead
-- ARGS
--   group

if redis.call('EXISTS', KEY.notices) == 1 then redis.call('XGROUP', 'DESTROY', KEY.notices, ARG.group) end
redis.call('UNLINK', KEY.due, KEY.items, KEY.tries, KEY.dead)
return 1
