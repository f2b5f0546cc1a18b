-- nodes.lua: what nodes have told of themselves: by name a time, a space and the text.
--
-- KEYS  nodes
-- ARGS
--   mode   'tell', 'leave', or 'read' for neither
--   about  what the caller's node tells; with 'tell'
--   keep   for how many ms what was told is kept
--
-- Returns {now, all fields and their values}; with another mode than 'read' {now}.

if ARG.mode == 'leave' then
  redis.call('HDEL', KEY.nodes, NODE)
  return { now() }
elseif ARG.mode == 'tell' then
  redis.call('HSET', KEY.nodes, NODE, now() .. ' ' .. ARG.about)
  redis.call('PEXPIRE', KEY.nodes, ARG.keep)
  return { now() }
end
local told = redis.call('HGETALL', KEY.nodes)
for i = 1, #told, 2 do
  local at = tonumber(string.match(told[i + 1], '^(%d+) ')) or 0
  if now() - at > tonumber(ARG.keep) then redis.call('HDEL', KEY.nodes, told[i]) end
end
return { now(), told }
