-- due.lua: threads of a partition that want a claim.
--
-- KEYS  leases, ready
-- ARGS
--   limit
--   turn   0: those that have waited longest; else a page further on, which
--          it chooses, so that what stays due hides nothing
--
-- Returns members, in turn one whose lease has expired and one that is ready, among
--   those the suspensions that have come to their deadline.

local limit, turn = tonumber(ARG.limit), tonumber(ARG.turn)
-- Of a page further on nothing may be cut off.
local size = turn > 0 and math.max(math.floor(limit / 2), 1) or limit

local function page(key, to)
  local skip = 0
  if turn > 0 then
    local pages = math.ceil(redis.call('ZCOUNT', key, '-inf', to) / size)
    if pages > 1 then skip = (math.floor(turn / 2) % pages) * size end
  end
  return redis.call('ZRANGEBYSCORE', key, '-inf', to, 'LIMIT', skip, size)
end

local lists, out = { page(KEY.leases, '(' .. now()), page(KEY.ready, now()) }, {}
local first = turn % 2 + 1
for i = 1, math.max(#lists[1], #lists[2]) do
  for _, list in ipairs({ lists[first], lists[3 - first] }) do
    if list[i] then out[#out + 1] = list[i] end
  end
end
return out
