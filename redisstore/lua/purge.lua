-- purge.lua: forget runs of a thread that ended some time ago.
--
-- KEYS  all of the thread's
-- ARGS
--   age     ms that have passed since their end
--   cursor  in the runs, or in the labels; '0' at first
--
-- Returns {cursor, dropped}: the cursor to go on with, '0' when the thread is done; how many
--   runs were forgotten.

local t = keysOf(KEYS)
-- Behind the runs come the labels, whose cursors begin with an l.
local cursor, dropped = ARG.cursor, 0
local labels = string.match(cursor, '^l(.*)')
if not labels then
  cursor, dropped = prune(t, open(t.rec), cursor, tonumber(ARG.age))
  if cursor == '0' then labels = '0' end
end
if labels then
  labels = unlabel(t, labels)
  cursor = labels == '0' and '0' or 'l' .. labels
end
return { cursor, dropped }
