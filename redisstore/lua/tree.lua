-- tree.lua: what the scripts on the threads of a namespace as trees share. All of a
-- namespace lies in one partition, whichever its threads lie in, so that a script sees
-- all of a tree. It stands after thread.lua and index.lua; its scripts declare the keys
-- nodes, index, felled, meta and made.

-- DEPTH is how deep a thread may stand below its root, SIZE how many threads one tree
-- may have, and NODES how many a namespace; BYTES what their ids, resources and metadata
-- have together.
local DEPTH, SIZE, NODES, BYTES = 16, 1000, 100000, 67108864

-- node reads what is kept of a thread; nil: nothing, or what cannot be read.
local function node(id)
  local text = redis.call('HGET', KEY.nodes, id)
  local ok, v = pcall(unpacked, text or '')
  if not ok or #v < 11 then return nil end
  for i = 3, 6 do
    if not tonumber(v[i]) then return nil end
  end
  return { id = id, parent = v[1], root = v[2], depth = tonumber(v[3]), created = tonumber(v[4]), updated = tonumber(v[5]),
    version = tonumber(v[6]), resource = v[7], state = v[8], by = v[9], owner = v[10], deleter = v[11] }
end

local function doomedPlace(n) return 'd' .. string.char(255 - n.depth) .. n.id end

-- places are where the index has a node.
local function places(n)
  local at = stamp(FOREVER - n.created) .. n.id
  local list = { 'i' .. n.id, 'r' .. digest(n.root) .. at }
  if n.parent ~= '' then list[#list + 1] = 'c' .. digest(n.parent) .. at end
  if n.resource ~= '' then list[#list + 1] = 's' .. digest(n.resource) .. at end
  if n.state ~= '' then list[#list + 1] = doomedPlace(n) end
  return list
end

local function line(n)
  return packed({ n.parent, n.root, n.depth, string.format('%.0f', n.created),
    string.format('%.0f', n.updated), n.version, n.resource, n.state, n.by, n.owner, n.deleter }, 1, 11)
end

local function store(n)
  redis.call('HSET', KEY.nodes, n.id, line(n))
  for _, place in ipairs(places(n)) do redis.call('ZADD', KEY.index, 0, place) end
end

local function unlist(n)
  for _, place in ipairs(places(n)) do redis.call('ZREM', KEY.index, place) end
end

-- fresh is a node of which nothing is kept yet; at: when its thread got its first input, 0: it
-- has had none, or nobody has noted it.
local function fresh(id, at)
  at = tonumber(at or 0)
  return { id = id, parent = '', root = id, depth = 0, created = at > 0 and at or NOW, updated = NOW, version = 0, resource = '', state = '', by = '', owner = '', deleter = '' }
end

-- bounds are those of all places that begin with a prefix and a time.
local function bounds(prefix) return '[' .. prefix, '(' .. prefix .. string.rep('\255', 7) end

local function childrenOf(id)
  local list, prefix = {}, 'c' .. digest(id)
  for _, place in ipairs(redis.call('ZRANGEBYLEX', KEY.index, bounds(prefix))) do
    local n = node(string.sub(place, #prefix + 7))
    if n and n.parent == id then list[#list + 1] = n end
  end
  return list
end

local function childCount(id)
  return redis.call('ZLEXCOUNT', KEY.index, bounds('c' .. digest(id)))
end

local function crowded() return redis.call('HLEN', KEY.nodes) >= NODES end

local function treeSize(root) return redis.call('ZLEXCOUNT', KEY.index, bounds('r' .. digest(root))) end

local function range(from, to, limit) return redis.call('ZRANGEBYLEX', KEY.index, from, to, 'LIMIT', 0, limit) end

-- drop strikes out a node of a namespace, which has no place in the index any more.
local function drop(n, namespace)
  local left = redis.call('HINCRBY', KEY.meta, '', -#n.id - #n.resource - redis.call('HSTRLEN', KEY.meta, n.id))
  redis.call('HDEL', KEY.nodes, n.id)
  redis.call('HDEL', KEY.meta, n.id)
  if left <= 0 then redis.call('HDEL', KEY.meta, '') end
  redis.call('ZREM', KEY.made, #namespace .. ':' .. namespace .. n.id)
end

-- described is the metadata of a thread, which is apart from what scripts walk through, and
-- describe keeps it.
local function described(id) return redis.call('HGET', KEY.meta, id) or '' end
local function describe(id, meta) redis.call('HSET', KEY.meta, id, meta) end

-- remember notes a thread that was made and never used, to be forgotten by its latest change.
local function remember(member, used)
  if used then redis.call('ZREM', KEY.made, member) else redis.call('ZADD', KEY.made, NOW, member) end
end

-- grows reports whether a namespace has room for so many bytes more, and counts them. They
-- stand where no thread's metadata does: none has an empty id.
local function grows(bytes)
  if bytes > 0 and tonumber(redis.call('HGET', KEY.meta, '') or 0) + bytes > BYTES then return false end
  redis.call('HINCRBY', KEY.meta, '', bytes)
  return true
end

-- felling notes that threads of a namespace are being deleted, or, if none is, strikes it out.
local function felling(command, namespace) redis.call(command, KEY.felled, namespace) end

-- childAfter is the first child of a thread that stands behind a place, of those whose time
-- and id are given; nil: the first of all.
local function childAfter(id, at)
  local prefix = 'c' .. digest(id)
  local from, to = bounds(prefix)
  if at then from = '(' .. prefix .. at end
  while true do
    local at = range(from, to, 1)[1]
    if not at then return nil end
    local n = node(string.sub(at, #prefix + 7))
    if n and n.parent == id then return n end
    from = '(' .. at
  end
end

-- isBelow reports whether a thread is another one or stands below it.
local function isBelow(n, top)
  for _ = 0, DEPTH do
    if not n then return false end
    if n.id == top then return true end
    n = n.parent ~= '' and node(n.parent)
  end
  return false
end

-- below are the nodes of a subtree, each after its parent.
local function below(top)
  local list, at = { top }, 1
  while list[at] do
    for _, child in ipairs(childrenOf(list[at].id)) do list[#list + 1] = child end
    at = at + 1
  end
  return list
end

-- move puts a subtree, as below has it, under a parent; nil: it is a tree of its own. Of
-- those below its top the root's places alone are others.
local function move(list, parent)
  local top = list[1]
  local deeper, root = (parent and parent.depth + 1 or 0) - top.depth, parent and parent.root or top.id
  unlist(top)
  top.parent, top.depth, top.root = parent and parent.id or '', top.depth + deeper, root
  store(top)
  local gone, come, lines = {}, {}, {}
  local function add(list, ...)
    for _, v in ipairs({ ... }) do list[#list + 1] = v end
  end
  for i = 2, #list do
    local n = list[i]
    local made = stamp(FOREVER - n.created) .. n.id
    add(gone, 'r' .. digest(n.root) .. made, n.state ~= '' and doomedPlace(n) or nil)
    n.depth, n.root = n.depth + deeper, root
    add(come, 0, 'r' .. digest(root) .. made)
    if n.state ~= '' then add(come, 0, doomedPlace(n)) end
    add(lines, n.id, line(n))
  end
  piecewise('ZREM', KEY.index, gone, 1, #gone)
  piecewise('ZADD', KEY.index, come, 1, #come)
  piecewise('HSET', KEY.nodes, lines, 1, #lines)
end

-- stands is what is told of a node without its metadata, which may be large.
local function stands(n)
  return { n.id, n.parent, n.root, n.depth, n.created, n.updated, n.version, n.resource, n.state, '', childCount(n.id) }
end

local function told(n)
  local list = stands(n)
  list[10] = described(n.id)
  return list
end

-- weight is about how many bytes are told of a node, before they are read.
local function weight(n)
  return #n.id + #n.parent + #n.root + #n.resource + redis.call('HSTRLEN', KEY.meta, n.id)
end
