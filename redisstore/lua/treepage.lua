-- treepage.lua: some of the places of a namespace's index, with their nodes.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   from   as ZRANGEBYLEX has it
--   to
--   limit
--   bytes  that are told of them; one more is told
--
-- Returns {1 if there may be more, for each {place, node, as told, and who deletes it}}.

local found = range(ARG.from, ARG.to, ARG.limit)
local out, bytes = { #found == tonumber(ARG.limit) and 1 or 0 }, 0
for _, place in ipairs(found) do
  if bytes > tonumber(ARG.bytes) then
    out[1] = 1
    break
  end
  local kind = string.byte(place)
  local id = string.sub(place, kind == 105 and 2 or kind == 100 and 3 or 16) -- i and d have no time
  local n = node(id)
  bytes = bytes + #place + (n and weight(n) or 0)
  local of = n and told(n) or {}
  if n and n.state ~= '' then of[#of + 1] = n.deleter end
  out[#out + 1] = { place, of }
end
return out
