-- usage.lua: what an owner has.
--
-- KEYS  runs, owned
--
-- Returns {runs, threads}.

return { redis.call('ZCOUNT', KEY.runs, '(' .. now(), '+inf'), redis.call('ZCARD', KEY.owned) }
