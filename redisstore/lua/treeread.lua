-- treeread.lua: what is kept of some threads as those of a tree.
--
-- KEYS  nodes, index, felled, meta
-- ARGS
--   below  1: of all that stand below them too, each after its parent
-- REST  the threads
--
-- Returns for each a node, as told; {} for one of which nothing is kept.

local out = {}
for i = REST, #ARGV do
  local n = node(ARGV[i])
  if not n then
    out[#out + 1] = {}
  elseif ARG.below == '1' then
    for _, m in ipairs(below(n)) do out[#out + 1] = told(m) end
  else
    out[#out + 1] = told(n)
  end
end
return out
