-- treepage.lua: some of the places of a namespace's index, with their nodes.
--
-- KEYS  nodes, index, felled, meta
-- ARGS
--   from   as ZRANGEBYLEX has it
--   to
--   limit
--
-- Returns for each {place, node, as told}.

local out = {}
for _, place in ipairs(range(ARG.from, ARG.to, ARG.limit)) do
  local kind = string.byte(place)
  local id = string.sub(place, kind == 105 and 2 or kind == 100 and 3 or 16) -- i and d have no time
  local n = node(id)
  out[#out + 1] = { place, n and told(n) or {} }
end
return out
