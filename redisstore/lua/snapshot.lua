-- snapshot.lua: the stored messages and state, and where they are moved. It stands
-- after thread.lua in the scripts that do.
--
-- The order of the messages is in chunks, o0, o1, …, packed lists of ids: who adds a
-- message writes the last of them anew, however many there are. n says how many chunks
-- there are, and how many ids the last one holds. Only a thread that was last written
-- in format 1 has o instead, the ids of all as compressed JSON.

local CHUNK, CHUNK_BYTES = 128, 8192

-- ordered1 reports whether the order has yet to be put into chunks: only who can read
-- o can change it.
local function ordered1(t) return redis.call('HEXISTS', t.snap, 'o') == 1 end

-- TOGETHER is how many messages one command writes or takes.
local TOGETHER = 250

-- counting is how many strings a packed list has.
local function counting(s)
  local n, at = 0, 1
  while at <= #s do
    local size, behind = string.match(s, '^(%d+):()', at)
    n, at = n + 1, behind + size
  end
  return n
end

-- reorder takes ids off the end of the order, or all of them, and puts pieces behind
-- what is left: pairs list[first..last] of how many ids and these, packed, each no
-- more than fit a chunk.
local function reorder(t, put, take, whole, drop, list, first, last)
  local chunks, n = string.match(redis.call('HGET', t.snap, 'n') or '', '^(%d+) (%d+)$')
  chunks, n = tonumber(chunks or 0), tonumber(n or 0)
  if whole then
    for i = 0, chunks - 1 do take('o' .. i) end
    take('o')
    chunks, n = 0, 0
  end
  while drop > 0 and chunks > 0 do
    local name = 'o' .. chunks - 1
    if drop < n then
      local ids = unpacked(redis.call('HGET', t.snap, name))
      n = n - drop
      put(name, table.concat(pack({}, ids, 1, n)))
      drop = 0
    else
      take(name)
      drop, chunks, n = drop - n, chunks - 1, 0
      if chunks > 0 then n = counting(redis.call('HGET', t.snap, 'o' .. chunks - 1)) end
    end
  end
  for i = first, last, 2 do
    local ids, text = tonumber(list[i]), list[i + 1]
    local name = 'o' .. chunks - 1
    if chunks > 0 and n + ids <= CHUNK and redis.call('HSTRLEN', t.snap, name) + #text <= CHUNK_BYTES then
      put(name, redis.call('HGET', t.snap, name) .. text)
      n = n + ids
    else
      put('o' .. chunks, text)
      chunks, n = chunks + 1, ids
    end
  end
  redis.call('HSET', t.snap, 'n', chunks .. ' ' .. n)
end

-- resnap moves the snapshot to the log's end: u.state ('': as it is), u.frozen ('' or nil: as it is),
-- u.open ('' or nil: nothing is); the order, if
-- u.whole or if u.drop is not 0 or there are pieces list[u.o1..u.o2] (see reorder); messages,
-- pairs list[u.m1..u.m2] of id and message; and without those of the ids
-- list[u.x1..u.x2]. It returns whether what a run had open is gone with it.
local function resnap(t, r, u, list)
  local bytes = held(t, r)
  local function put(name, text)
    bytes = bytes - redis.call('HSTRLEN', t.snap, name) + #text
    redis.call('HSET', t.snap, name, text)
  end
  local function take(name)
    bytes = bytes - redis.call('HSTRLEN', t.snap, name)
    redis.call('HDEL', t.snap, name)
  end
  if u.state ~= '' then put('s', u.state) end
  if (u.frozen or '') ~= '' then redis.call('HSET', t.snap, 'f', u.frozen) end
  local was = false
  if (u.open or '') ~= '' then redis.call('HSET', t.snap, 'r', u.open) else was = redis.call('HDEL', t.snap, 'r') == 1 end
  if u.whole or u.drop > 0 or u.o2 >= u.o1 then
    reorder(t, put, take, u.whole, u.drop, list, u.o1, u.o2)
  end
  for first = u.m1, u.m2, 2 * TOGETHER do
    local change = {}
    for i = first, math.min(first + 2 * TOGETHER - 1, u.m2), 2 do
      local name, text = 'm' .. list[i], list[i + 1]
      bytes = bytes - redis.call('HSTRLEN', t.snap, name) + #text
      change[#change + 1] = name
      change[#change + 1] = text
    end
    redis.call('HSET', t.snap, unpack(change))
  end
  for first = u.x1, u.x2, TOGETHER do
    local names = {}
    for i = first, math.min(first + TOGETHER - 1, u.x2) do
      names[#names + 1] = 'm' .. list[i]
      bytes = bytes - redis.call('HSTRLEN', t.snap, names[#names])
    end
    redis.call('HDEL', t.snap, unpack(names))
  end
  r.snapat = r.seq
  r.held = string.format('%.0f %.0f', math.max(bytes, 0), r.snapat)
  return was
end

-- marked notes that the log has a mark at a position, in whose place stands what the
-- snapshot says that is about to move behind it.
local function marked(t, r, at)
  r.gone, r.told = r.told, at
  redis.call('HSET', t.rec, 'told', r.told .. ' ' .. r.gone)
end
