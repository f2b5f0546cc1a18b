-- hookdead.lua: dead webhooks of a target in a partition, the latest first.
--
-- KEYS  dead
-- ARGS
--   from    the latest time that is wanted, as a bound of a range; '+inf'
--   behind  of those of just that time, those before this id alone; '': all
--   keep    ms for which they are kept
--   limit
--
-- Returns for each: id, when it died.

local limit, out, skip = tonumber(ARG.limit), {}, 0
local oldest = '(' .. (now() - tonumber(ARG.keep))
while #out < 2 * limit do
  local page = redis.call('ZREVRANGEBYSCORE', KEY.dead, ARG.from, oldest, 'WITHSCORES', 'LIMIT', skip, limit)
  for i = 1, #page, 2 do
    if #out < 2 * limit and not (ARG.behind ~= '' and page[i + 1] == ARG.from and page[i] >= ARG.behind) then
      out[#out + 1] = page[i]
      out[#out + 1] = page[i + 1]
    end
  end
  if #page < 2 * limit then break end
  skip = skip + limit
end
return out
