-- treewalk.lua: some of the nodes of a subtree: each parent, and then all below its first
-- child, all below its second, and so on.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   thread  the top
--   under   the parent of the node that was told last; '': that was the top
--   at      its time and id; '' with nothing told yet
--   limit   how many
--   bytes   of them; one more is told
--
-- Returns {known, more, for each the time and id and the node, as told}; known 0: the place
--   is not in the subtree any more; more 1: there are more.

local top = node(ARG.thread)
if not top then return { 1, 0 } end
local function at(n) return stamp(FOREVER - n.created) .. n.id end

-- onwards is the node behind all of a subtree; from is a node in it, or where one stood.
local function onwards(parent, from)
  for _ = 0, DEPTH do
    local n = childAfter(parent, from)
    if n or parent == top.id then return n end
    local up = node(parent)
    if not up or up.parent == '' then return nil end
    parent, from = up.parent, at(up)
  end
end
local function following(n)
  local child = childAfter(n.id)
  if child or n.id == top.id then return child end
  return onwards(n.parent, at(n))
end

local n = top
if ARG.at ~= '' then
  local last = node(string.sub(ARG.at, 7))
  if last and last.parent == ARG.under and at(last) == ARG.at then
    if not isBelow(last, top.id) then return { 0, 0 } end
    n = following(last)
  else
    if not isBelow(node(ARG.under), top.id) then return { 0, 0 } end
    n = onwards(ARG.under, ARG.at)
  end
end
local out, bytes = { 1, 0 }, 0
while n and (#out - 2) / 2 < tonumber(ARG.limit) and bytes <= tonumber(ARG.bytes) do
  bytes = bytes + weight(n)
  out[#out + 1] = at(n)
  out[#out + 1] = told(n)
  n = following(n)
end
if n then out[2] = 1 end
return out
