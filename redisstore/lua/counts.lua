-- counts.lua: how many dispatches of a partition there are.
--
-- KEYS  counts
-- ARGS
--   of      1: those of the tenant alone
--   tenant
--   cursor  of all of them; '0' at first
-- REST  the fields wanted, as run.lua's count names them without their tenant
--
-- Returns {the cursor to go on with, '0' when those were all, their numbers, 0 where there is
--   none}.

local sums, cursor = {}, '0'
for i = REST, #ARGV do sums[ARGV[i]] = 0 end
if ARG.of == '1' then
  local fields = {}
  for i = REST, #ARGV do fields[#fields + 1] = ARGV[i] .. ':' .. ARG.tenant end
  for i, n in ipairs(redis.call('HMGET', KEY.counts, unpack(fields))) do sums[ARGV[REST + i - 1]] = tonumber(n or 0) or 0 end
else
  local page = redis.call('HSCAN', KEY.counts, ARG.cursor, 'COUNT', 2000)
  cursor = page[1]
  for i = 1, #page[2], 2 do
    local name = string.match(page[2][i], '^[^:]*')
    sums[name] = (sums[name] or 0) + (tonumber(page[2][i + 1]) or 0)
  end
end
local out = { cursor }
for i = REST, #ARGV do out[#out + 1] = sums[ARGV[i]] end
return out
