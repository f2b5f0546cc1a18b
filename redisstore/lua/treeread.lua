-- treeread.lua: what is kept of some threads as those of a tree.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   bytes  of metadata that are told, and one thread's more; 0: none are
-- REST  the threads
--
-- Returns for each a node, as told; {} for one of which nothing is kept. It ends before a
--   thread for which there is no room.

local out, room = {}, tonumber(ARG.bytes)
local tell = room > 0 and told or stands
for i = REST, #ARGV do
  if room < 0 then break end
  local n = node(ARGV[i])
  local one = n and tell(n) or {}
  room = room - #(one[10] or '')
  out[#out + 1] = one
end
return out
