-- unname.lua: take out of a decision on record who has decided. Entries of a stream do not
-- change: the entry gets another id, and keeps its time.
--
-- KEYS  decisions, lists
-- ARGS
--   id
--   user  who has decided
--   body  what the record has of it from then on
--
-- Returns 1, or 0 when there is no such entry: it has gone, or has been changed by the call
--   that is sent again.

local t = { decisions = KEY.decisions, lists = KEY.lists }
local entry = recorded(KEY.decisions, ARG.id)
if not entry or entry.user ~= ARG.user then return 0 end
unrecord(t, ARG.id, entry)
entry.user, entry.body = nil, ARG.body
local fields, members, at = {}, {}, tonumber(entry.at) or 0
if not (at >= 0 and at <= FOREVER) then at = 0 end
for name, value in pairs(entry) do
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end
local id = redis.call('XADD', KEY.decisions, '*', unpack(fields))
for _, m in ipairs(places(entry.tenant or '', entry.namespace or '', '', entry.key or '', at, id)) do
  members[#members + 1] = 0
  members[#members + 1] = m
end
redis.call('ZADD', KEY.lists, unpack(members))
return 1
