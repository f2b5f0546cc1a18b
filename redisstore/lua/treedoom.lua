-- treedoom.lua: begin to delete a thread, or say how far that has come. What has begun
-- stands in the index until it has come about, and the namespace in felled.
--
-- KEYS  nodes, index, felled, meta, made
-- ARGS
--   thread
--   namespace
--   how      'reject', 'detach', 'cascade', or 'erase': its record says that it is to go
--   deleter  who deletes, as it is kept
--
-- Returns {children, the threads that are to go, the deepest first, how far each is and who
--   deletes it}; of 'reject' with children there are none, and nothing has changed.

local n = node(ARG.thread)
local children = n and childCount(n.id) or 0
if ARG.how == 'reject' and children > 0 and n.state == '' then return { children, {} } end
if ARG.how == 'erase' then
  if n and n.state == 'all' then
    n.state = 'erase'
    store(n)
  end
  return { children, {} }
end
local list = n and ARG.how == 'cascade' and below(n) or { n or fresh(ARG.thread) }
if not n then grows(#ARG.thread) end
local out = {}
for i = #list, 1, -1 do
  local m = list[i]
  local was = m.state
  if ARG.how == 'cascade' and was ~= 'erase' then m.state = 'all' elseif was == '' then m.state = 'rest' end
  if m.state ~= was then m.deleter = ARG.deleter end
  store(m)
  out[#out + 1] = m.id
  out[#out + 1] = m.state
  out[#out + 1] = m.deleter
end
felling('SADD', ARG.namespace)
return { children, out }
