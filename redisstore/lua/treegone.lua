-- treegone.lua: a thread is gone, or is not deleted after all. Those below it are each a
-- tree of their own from now on.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   thread
--   namespace
--   spare   1: it is not deleted, unless it goes with one above it; 2: it is gone if it was
--           being deleted, and has not been made anew since
--
-- Returns {for whom it counted when it was made, or ''}.

local n, owner = node(ARG.thread), ''
if n and not (ARG.spare == '1' and n.state ~= 'rest' or ARG.spare == '2' and n.state == '') then
  unlist(n)
  n.state, n.deleter = '', ''
  if ARG.spare == '1' then
    -- Nothing else was known of it than that it was to go.
    if n.version == 0 and n.parent == '' and childCount(n.id) == 0 then drop(n, ARG.namespace) else store(n) end
  else
    for _, child in ipairs(childrenOf(n.id)) do move(below(child)) end
    drop(n, ARG.namespace)
    owner = n.owner
  end
end
if #range('[d', '(e', 1) == 0 then felling('SREM', ARG.namespace) end
return { owner }
