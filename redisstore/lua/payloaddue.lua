-- payloaddue.lua: look at payloads of a partition whose time it is.
--
-- KEYS  payloadsDue
-- ARGS
--   base      of the partition's keys
--   limit     how many
--   grace     ms after which one is looked at whether anything refers to it
--   again     ms after which one is told again
--   remember  ms for which it is known that one has expired
--   most      how many a thread may have, expired ones included
--
-- Returns {looked, {member, digest, staged, live, ...}}: how many there were, and those of which it
--   is to be found out whether anything refers to them. live: the thread has an execution.

local NOW, told = now(), {}
local day = 86400000
local due = redis.call('ZRANGEBYSCORE', KEY.payloadsDue, '-inf', NOW, 'LIMIT', 0, ARG.limit)
local function look(place)
  local hash, digest = string.match(place, '^([^:]+):(.*)$')
  if not hash then
    redis.call('ZREM', KEY.payloadsDue, place)
  else
    local T = ARG.base .. hash .. ':'
    local line = redis.call('HGET', T .. 'payloads', 'd' .. digest)
    local size, created, till, staged = string.match(line or '', '^(%d+) (%d+) (%d+) (%d+) ')
    local thread = redis.call('HMGET', T .. 'rec', 'thread', 'input')
    if line and not size or not thread[2] then
      -- The thread is gone, and who deleted it did not know of payloads.
      if line then unpaid(T, digest, line) end
      if not thread[2] and redis.call('HEXISTS', T .. 'payloads', 'n') == 0 then redis.call('UNLINK', T .. 'payloads') end
      redis.call('ZREM', KEY.payloadsDue, place)
    elseif not line then
      redis.call('HDEL', T .. 'payloads', 'g' .. digest)
      redis.call('ZREM', KEY.payloadsDue, place)
    elseif tonumber(till) > 0 and tonumber(till) <= NOW then
      unpaid(T, digest, line)
      if redis.call('HLEN', T .. 'payloads') < tonumber(ARG.most) then
        redis.call('HSET', T .. 'payloads', 'g' .. digest, line)
        redis.call('ZADD', KEY.payloadsDue, NOW + tonumber(ARG.remember), place)
      else
        redis.call('ZREM', KEY.payloadsDue, place)
      end
    elseif tonumber(staged) > 0 and tonumber(staged) + tonumber(ARG.grace) <= NOW then
      local live = (redis.call('HGET', T .. 'runs', 'x') or '') ~= '' and 1 or 0
      for _, v in ipairs({ thread[1] or '', digest, staged, live }) do told[#told + 1] = v end
      redis.call('ZADD', KEY.payloadsDue, NOW + tonumber(ARG.again), place)
    else
      local again = NOW + day
      if tonumber(till) > 0 then again = math.min(again, tonumber(till)) end
      redis.call('ZADD', KEY.payloadsDue, again, place)
    end
  end
end
for _, place in ipairs(due) do
  -- One that cannot be read keeps nobody from the others.
  if not pcall(look, place) then redis.call('ZADD', KEY.payloadsDue, NOW + day, place) end
end
return { #due, told }
