-- notices.lua: what lies behind places in Notice Streams.
--
-- KEYS  for each: notices
-- ARGS
--   count  how many of each at most
-- EACH
--   from  the first id to read; '': the last one alone
--
-- Returns {Unix ms by the server's own clock, and for each: {entries, 1 if there may be more}
--   or, when they are as many as a stream may keep, {entries, more, how many it has, its
--   first id}}; false for one that cannot be read.

local clock = redis.call('TIME')
local out, count = { tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000) }, tonumber(ARG.count)
for k = 1, #KEYS do
  local from = ARGV[REST + (k - 1) * WIDTH + EACH.from]
  local function read()
    if from == '' then return { redis.call('XREVRANGE', KEYS[k], '+', '-', 'COUNT', 1), 0 } end
    local entries = redis.call('XRANGE', KEYS[k], from, '+', 'COUNT', count)
    local more = #entries < count and 0 or 1
    if #entries < count and #entries < tonumber(ARG.notices) then return { entries, more } end
    return { entries, more, redis.call('XLEN', KEYS[k]), redis.call('XRANGE', KEYS[k], '-', '+', 'COUNT', 1)[1][1] }
  end
  local ok, found = pcall(read)
  out[k + 1] = ok and found
end
return out
