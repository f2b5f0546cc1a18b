-- waiting.lua: how much waits for workers in a partition.
--
-- KEYS  work
-- REST  agents; the stream of each is KEY.work and its name
--
-- Returns for each agent how many entries there are, how many of them were delivered,
--   and for how many ms the oldest has been there.

local function look(stream)
  local pending, age = 0, 0
  local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  if oldest then
    for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
      for j = 1, #group, 2 do
        if group[j] == 'pending' then pending = pending + group[j + 1] end
      end
    end
    local t = redis.call('TIME')
    age = math.max(tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) - tonumber(string.match(oldest[1], '^%d+')), 0)
  end
  return { redis.call('XLEN', stream), pending, age }
end

local out = {}
for i = REST, #ARGV do
  local ok, found = pcall(look, KEY.work .. ARGV[i]) -- what is no stream has nothing that waits
  for _, n in ipairs(ok and found or { 0, 0, 0 }) do out[#out + 1] = n end
end
return out
