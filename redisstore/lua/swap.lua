-- swap.lua: put one value in the place of another, if that is still there.
--
-- KEYS  at
-- ARGS
--   field  of a hash; '': at is a list
--   place  in a list
--   was
--   is     '': in a hash the field goes
--
-- Returns 1 if the new value is there, else 0. Sent again it changes nothing.

local function get()
  if ARG.field ~= '' then return redis.call('HGET', KEY.at, ARG.field) or '' end
  return redis.call('LINDEX', KEY.at, ARG.place) or ''
end

local now = get()
if now == ARG.is then return 1 end
if now ~= ARG.was then return 0 end
if ARG.field == '' then
  redis.call('LSET', KEY.at, ARG.place, ARG.is)
elseif ARG.is == '' then
  redis.call('HDEL', KEY.at, ARG.field)
else
  redis.call('HSET', KEY.at, ARG.field, ARG.is)
end
return 1
