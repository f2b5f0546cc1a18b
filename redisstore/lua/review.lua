-- review.lua: note who looks at open interrupts, or to whom they are assigned.
--
-- KEYS  rec, runs, reviewers
-- ARGS
--   by       the user
--   lasts    for how long, in ms; 0: no longer
--   most     how many users are noted who look
--   assigns  1: it is noted to whom they are assigned, which is one user at most
--
-- Returns {1, what is noted by then, as reviewers has it}, or {0} when nothing is open.

local _, head = suspension({ rec = KEY.rec, runs = KEY.runs })
if not head or quiet(head) then return { 0 } end
local before, lasts, mark = reviewers(redis.call('GET', KEY.reviewers), head), tonumber(ARG.lasts), ARG.assigns == '1' and ' a' or ''
local list, last, looks = { head[1] }, 0, 0
local function add(till, user)
  local looking = not string.find(till, ' a', 1, true)
  if looking and looks >= tonumber(ARG.most) then return end
  if looking then looks = looks + 1 end
  list[#list + 1], list[#list + 2] = till, user
  last = math.max(last, tonumber(string.match(till, '^%d+')))
end
for i = 1, #before, 2 do
  local same = string.match(before[i], '%D*$') == mark
  -- Whoever takes it takes it over.
  if not same or before[i + 1] ~= ARG.by and (mark == '' or lasts == 0) then add(before[i], before[i + 1]) end
end
if lasts > 0 then add(string.format('%.0f', NOW + lasts) .. mark, ARG.by) end
if last > NOW then
  redis.call('SET', KEY.reviewers, packed(list, 1, #list), 'PX', string.format('%.0f', last - NOW))
else
  redis.call('DEL', KEY.reviewers)
end
table.remove(list, 1)
return { 1, list }
