-- treeput.lua: make a thread, or change what is kept of it as one of a tree.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   thread
--   by        names the call
--   create    1: it must not be there yet
--   used      1: the thread has had an input
--   first     when it got the first one; 0: not known
--   version   that the change is for; -1: any
--   parented  1: parent is set
--   parent    '': none
--   hasused   1: the parent has had an input
--   hasfirst  when it got the first one; 0: not known
--   resourced 1: resource is set
--   resource
--   described 1: meta is set
--   meta
--   owner     for whom it counts if it is made
--   member    names it in made
--
-- What changes nothing leaves the version as it is.
--
-- Returns {verdict, adopted, looked, node}: verdict 0 done, 1 there is no such thread, 2 there is
--   one, 3 it is being deleted, 4 its version is another, 5 there is no such parent, 6 it
--   would be below itself, 7 the parent is being deleted, 8 it would stand too deep, 9 the
--   tree would have too many threads, 10 the namespace has, 11 its
--   threads have too much metadata. adopted: 1, the thread was put
--   in, 2, the parent, 3, both, which had inputs and were in no tree. looked: at how many
--   threads, to move them.

local n = node(ARG.thread)
if n and n.by == ARG.by then return { 0, 0, 0, told(n) } end
if n and n.state ~= '' then return { 3, 0, 0, told(n) } end
local new = not n
if ARG.create == '1' then
  if n or ARG.used == '1' then return { 2, 0, 0, {} } end
elseif new and ARG.used == '0' then
  return { 1, 0, 0, {} }
end
local has = new and 0 or n.version
if ARG.version ~= '-1' and tonumber(ARG.version) ~= has then return { 4, 0, 0, n and told(n) or told(fresh(ARG.thread, ARG.first)) } end
local moves = ARG.parented == '1' and ARG.parent ~= (n and n.parent or '')
if ARG.create == '0' and not moves and (ARG.resourced == '0' or ARG.resource == (n and n.resource or ''))
  and (ARG.described == '0' or ARG.meta == described(ARG.thread)) then
  return { 0, 0, 0, told(n or fresh(ARG.thread, ARG.first)) }
end
if new and crowded() then return { 10, 0, 0, {} } end
n = n or fresh(ARG.thread, ARG.first)

local more = new and #n.id or 0
if ARG.resourced == '1' then more = more + #ARG.resource - #n.resource end
if ARG.described == '1' then more = more + #ARG.meta - #described(n.id) end

local parent, adopts, list = nil, new and ARG.used == '1' and 1 or 0, new and { n } or {}
if moves then
  if ARG.parent ~= '' then
    if ARG.parent == n.id then return { 6, 0, 0, {} } end
    parent = node(ARG.parent)
    if not parent then
      if ARG.hasused == '0' then return { 5, 0, 0, {} } end
      parent, adopts = fresh(ARG.parent, ARG.hasfirst), adopts + 2
    end
    if parent.state ~= '' then return { 7, 0, 0, {} } end
    if not new and isBelow(parent, n.id) then return { 6, 0, 0, {} } end
  end
  list = new and list or below(n)
  if parent then
    local height = 0
    for _, m in ipairs(list) do height = math.max(height, m.depth - n.depth) end
    if parent.depth + 1 + height > DEPTH then return { 8, 0, #list, {} } end
    if parent.root ~= n.root then
      local there = math.max(treeSize(parent.root), 1)
      if there + #list > SIZE then return { 9, 0, #list, {} } end
    end
    if adopts >= 2 then more = more + #parent.id end
  end
end
if not grows(more) then return { 11, 0, #list, {} } end
if moves then
  if adopts >= 2 then store(parent) end
  move(list, parent)
end
if not new then unlist(n) end
if ARG.resourced == '1' then n.resource = ARG.resource end
if ARG.described == '1' then describe(n.id, ARG.meta) end
if new then n.owner = ARG.owner end
n.version, n.updated, n.by = n.version + 1, NOW, ARG.by
store(n)
remember(ARG.member, ARG.used == '1')
return { 0, adopts, #list, told(n) }
