-- targets.lua: the state of targets of webhooks: by name when one was last used, by name
-- and :gone the configuration with which it wants no more, by name and :since since when.
--
-- KEYS  targets
-- ARGS
--   gone           a target that wants no more; '': none
--   configuration  of it
--   revived        one that is to get more; '': none
--   forgotten      one that is to be forgotten; '': none
--   used           when that was last used, as far as the caller knows
-- REST  the names of those that are in use
--
-- Returns {now, all fields and their values}.

if ARG.gone ~= '' and redis.call('HGET', KEY.targets, ARG.gone .. ':gone') ~= ARG.configuration then
  redis.call('HSET', KEY.targets, ARG.gone .. ':gone', ARG.configuration, ARG.gone .. ':since', now())
end
if ARG.revived ~= '' then redis.call('HDEL', KEY.targets, ARG.revived .. ':gone', ARG.revived .. ':since') end
if ARG.forgotten ~= '' and redis.call('HGET', KEY.targets, ARG.forgotten) == ARG.used then
  redis.call('HDEL', KEY.targets, ARG.forgotten, ARG.forgotten .. ':gone', ARG.forgotten .. ':since')
end
for i = REST, #ARGV do redis.call('HSET', KEY.targets, ARGV[i], now()) end
return { now(), redis.call('HGETALL', KEY.targets) }
