-- hold.lua: go on counting a run of an owner, or take back what counts.
--
-- KEYS  runs, owned
-- ARGS
--   run     '': none
--   hold    ms for which it counts; 0: no more
--   thread  that counts no more; '': none
--
-- Returns 1.

if ARG.run ~= '' then
  if ARG.hold == '0' then
    redis.call('ZREM', KEY.runs, ARG.run)
  else
    redis.call('ZADD', KEY.runs, now() + tonumber(ARG.hold), ARG.run)
    redis.call('PEXPIRE', KEY.runs, ARG.hold)
  end
end
if ARG.thread ~= '' then redis.call('ZREM', KEY.owned, ARG.thread) end
return 1
