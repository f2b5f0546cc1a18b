-- swap.lua: put one value in the place of another, if that is still there.
--
-- KEYS  key
-- ARGS
--   field  of a hash; '': the key holds a list
--   place  in a list
--   was
--   is     '': in a hash the field goes
--
-- Returns 1 if the new value is there, else 0. Sent again it changes nothing.

local function get()
  if ARG.field ~= '' then return redis.call('HGET', KEY.key, ARG.field) or '' end
  return redis.call('LINDEX', KEY.key, ARG.place) or ''
end

local has = get()
if has == ARG.is then return 1 end
if has ~= ARG.was then return 0 end
if ARG.field == '' then
  redis.call('LSET', KEY.key, ARG.place, ARG.is)
elseif ARG.is == '' then
  redis.call('HDEL', KEY.key, ARG.field)
else
  redis.call('HSET', KEY.key, ARG.field, ARG.is)
end
return 1
