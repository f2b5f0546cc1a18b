-- treebelow.lua: which threads stand below one.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   thread
--
-- Returns their ids, each after its parent, and none twice.

local out, top = {}, node(ARG.thread)
if not top then return out end
for i, n in ipairs(below(top)) do
  if i > 1 then out[#out + 1] = n.id end
end
return out
