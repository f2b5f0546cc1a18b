-- review.lua: note who looks at open interrupts.
--
-- KEYS  rec, runs, reviewers
-- ARGS
--   by     the user
--   lasts  for how long, in ms; 0: no longer
--   most   how many users are noted
--
-- Returns {1, the users that are noted by then, each behind until when}, or {0} when
--   nothing is open.

local _, head = suspension({ rec = KEY.rec, runs = KEY.runs })
if not head or quiet(head) then return { 0 } end
local before, lasts = reviewers(redis.call('GET', KEY.reviewers), head), tonumber(ARG.lasts)
local list, last = { head[1] }, 0
local function add(till, user)
  if #list > 2 * tonumber(ARG.most) then return end
  list[#list + 1], list[#list + 2] = till, user
  last = math.max(last, tonumber(till))
end
for i = 1, #before, 2 do
  if before[i + 1] ~= ARG.by then add(before[i], before[i + 1]) end
end
if lasts > 0 then add(string.format('%.0f', NOW + lasts), ARG.by) end
if last > NOW then
  redis.call('SET', KEY.reviewers, packed(list, 1, #list), 'PX', string.format('%.0f', last - NOW))
else
  redis.call('DEL', KEY.reviewers)
end
table.remove(list, 1)
return { 1, list }
