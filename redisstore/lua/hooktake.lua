-- hooktake.lua: take webhooks of a target that are due.
--
-- KEYS  due, items, tries
-- ARGS
--   limit
--   hold   ms after which they are due again
--
-- Returns {now, until when they are held, then for each: id, the notice, its tries}.

local taken = { now(), now() + tonumber(ARG.hold) }
local ids = redis.call('ZRANGEBYSCORE', KEY.due, '-inf', now(), 'LIMIT', 0, ARG.limit)
for _, id in ipairs(ids) do
  local item = redis.call('HGET', KEY.items, id)
  if item then
    redis.call('ZADD', KEY.due, taken[2], id)
    taken[#taken + 1] = id
    taken[#taken + 1] = item
    taken[#taken + 1] = redis.call('HGET', KEY.tries, id) or ''
  else
    redis.call('ZREM', KEY.due, id)
  end
end
return taken
