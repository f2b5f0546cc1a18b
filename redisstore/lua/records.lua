-- records.lua: take from a partition the notices and decisions that are past their time.
--
-- KEYS  notices, decisions, lists
-- ARGS
--   age    ms for which notices are kept
--   keep   ms for which decisions are kept
--   limit  decisions at once
--
-- Returns 1 if there may be more, else 0.

redis.call('XTRIM', KEY.notices, 'MINID', '~', string.format('%.0f', math.max(now() - tonumber(ARG.age), 0)))
local t = { decisions = KEY.decisions, lists = KEY.lists }
local limit, before = tonumber(ARG.limit), string.format('%.0f', math.max(now() - tonumber(ARG.keep), 0))
local entries = redis.call('XRANGE', KEY.decisions, '-', before, 'COUNT', limit)
for _, found in ipairs(entries) do unrecord(t, found[1], fieldsOf(found)) end
return #entries == limit and 1 or 0
