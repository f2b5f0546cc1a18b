-- treeread.lua: what is kept of some threads as those of a tree, without their metadata.
--
-- KEYS  nodes, index, felled, meta, made
-- REST  the threads
--
-- Returns for each a node, as told; {} for one of which nothing is kept.

local out = {}
for i = REST, #ARGV do
  local n = node(ARGV[i])
  out[#out + 1] = n and stands(n) or {}
end
return out
