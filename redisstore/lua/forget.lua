-- forget.lua: forget the decisions about a thread, a page at a time.
--
-- KEYS  decisions, lists
-- ARGS
--   key    the thread's hash
--   limit
--
-- Returns 1 if there may be more, else 0.

local t = { decisions = KEY.decisions, lists = KEY.lists }
local from, limit = 'h' .. ARG.key, tonumber(ARG.limit)
local members = redis.call('ZRANGEBYLEX', KEY.lists, '[' .. from, '(' .. from .. '\255', 'LIMIT', 0, limit)
for _, m in ipairs(members) do
  local id = string.gsub(string.sub(m, #from + 7 + #ARG.key), '%-0+(%d)', '-%1')
  local ok, entry = pcall(recorded, KEY.decisions, id)
  if ok and entry then unrecord(t, id, entry) end
  redis.call('ZREM', KEY.lists, m)
end
return #members == limit and 1 or 0
