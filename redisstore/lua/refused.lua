-- refused.lua: count answers that were refused, of interrupts that are open.
--
-- KEYS  runs
-- REST  the interrupts' ids

local _, head = suspension({ runs = KEY.runs })
if not head then return 0 end
local open = {}
for i = 1, #head[4], 8 do open[string.sub(head[4], i, i + 7)] = true end
for i = REST, #ARGV do
  if open[digest(ARGV[i])] then redis.call('HINCRBY', KEY.runs, 'n:' .. ARGV[i], 1) end
end
return 0
