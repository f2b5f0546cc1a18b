-- snapshot.lua: the stored messages and state, and where they are moved. It stands
-- after thread.lua in the scripts that do.
--
-- The order of the messages is in chunks, o0, o1, …, packed lists of ids: who adds a
-- message writes the last of them anew, however many there are. n says how many chunks
-- there are, how many ids the last one holds, and how many all of them do. It begins with a minus if
-- the numbers of the chunks do: an order that comes in pieces stands beside the one before it, and has the other
-- numbers (pieces.lua).
--
-- e is where the snapshot was moved to when that last did anything else to the messages than to put new ones
-- behind the others: while it is the same, what was read of them before is what they begin with.
--
-- Who produced the messages stands apart, by the number of the chunk: for each stretch of
-- its ids where it begins and how many they are, the run and the step. That of the last chunk
-- is p beside the order, so that it is read and written with it.

local CHUNK, CHUNK_BYTES = 128, 8192

-- TOGETHER is how many fields one command reads, writes or takes. Lua holds the texts of one
-- command at a time, and asks for lengths alone where messages have more than LARGE bytes.
local TOGETHER, LARGE = 250, 4096

-- reorders reports whether u changes the order.
local function reorders(u) return u.whole or u.drop > 0 or u.o2 >= u.o1 end

-- stored is what the snapshot holds of what u, as resnap has it, will change: fields by name,
-- and of the messages how many bytes they have.
local function stored(t, r, u, list)
  local known, names = { bytes = 0 }, { 'n', 'r' }
  if u.state ~= '' then names[#names + 1] = 's' end
  if reorders(u) then
    local which, chunks = string.match(r.held, ' (%-?)(%d+)$')
    names[#names + 1] = 'p'
    if tonumber(chunks or 0) > 0 then names[#names + 1] = 'o' .. which .. chunks - 1 end
  end
  if r.snapat == 0 and r.held == '' then -- it has never held anything
    for _, name in ipairs(names) do known[name] = false end
    return known
  end
  local fields, most = #names, TOGETHER * LARGE
  local bytes = held(t, r)
  local singly = bytes > most and bytes > LARGE * redis.call('HLEN', t.snap)
  local function look()
    local sum = 0
    for i, text in ipairs(redis.call('HMGET', t.snap, unpack(names))) do
      if i <= fields then
        known[names[i]] = text
      elseif text then
        sum = sum + #text
      end
    end
    known.bytes, singly, names, fields = known.bytes + sum, singly or sum > most, {}, 0
  end
  local function weigh(id)
    if singly then
      known.bytes = known.bytes + redis.call('HSTRLEN', t.snap, 'm' .. id)
    else
      names[#names + 1] = 'm' .. id
      if #names >= TOGETHER then look() end
    end
  end
  for i = u.m1, u.m2, 2 do weigh(list[i]) end
  for i = u.x1, u.x2 do weigh(list[i]) end
  if #names > 0 then look() end
  return known
end

-- stretches are those of a chunk's first n ids, as they are stored.
local function stretches(text, n)
  local ok, all = pcall(unpacked, text or '')
  local list = {}
  for i = 1, ok and #all or 0, 3 do
    local at, count = string.match(all[i], '^(%d+) (%d+)$')
    at, count = tonumber(at), tonumber(count)
    if at and at < n and all[i + 2] then
      list[#list + 1], list[#list + 2], list[#list + 3] = at .. ' ' .. math.min(count, n - at), all[i + 1], all[i + 2]
    end
  end
  return list
end

-- produced changes who produced the ids of a chunk of which n are left: told, as a piece
-- has it, says it of those that are put behind them. change is by chunks, and has p already.
local function produced(t, change, chunk, n, told)
  local was = change[chunk]
  if was == nil then was = n > 0 and redis.call('HGET', t.producers, chunk) end
  local list = stretches(was, n)
  local added, at = unpacked(told), n
  for i = 1, #added, 3 do
    local count, last = tonumber(added[i]), #list - 2
    local from, size = string.match(list[last] or '', '^(%d+) (%d+)$')
    if added[i + 1] ~= '' and from and from + size == at and list[last + 1] == added[i + 1] and list[last + 2] == added[i + 2] then
      list[last] = from .. ' ' .. size + count
    elseif added[i + 1] ~= '' then
      list[#list + 1], list[#list + 2], list[#list + 3] = at .. ' ' .. count, added[i + 1], added[i + 2]
    end
    at = at + count
  end
  change[chunk] = #list > 0 and packed(list, 1, #list)
end

-- sizeOf is how many bytes a field counts for: a chunk without its head.
local function sizeOf(name, text)
  if string.byte(name) ~= 111 then return #text end -- o
  local _, _, at = string.match(text, CHUNK_HEAD)
  return #text - (at or 1) + 1
end

-- reorder takes ids off the end of the order, or all of them, and puts pieces behind
-- what is left: list[first..last], of each how many ids, these, packed, no
-- more than fit a chunk, and for each stretch of them how many, the run and the step, packed
-- ('': nobody knows). n is as it is stored; it returns the same, and who produced what has changed, by chunks; false: nobody
-- knows. get reads a field, put writes one, and cut takes chunks, which are so named, from one to another, of which so
-- many bytes are known. What it does to chunks that go is the same for many as for few.
local function reorder(t, get, put, cut, n, whole, drop, list, first, last)
  local which, chunks, total, by = nil, nil, nil, {}
  which, chunks, n, total = string.match(n or '', '^(%-?)(%d+) (%d+) (%d+)$')
  which = which or ''
  local o = 'o' .. which
  chunks, n, total = tonumber(chunks or 0), tonumber(n or 0), tonumber(total or 0)
  -- before is how many ids stand before a chunk, and how many bytes the chunks before it have.
  local function before(i)
    local ids, bytes = string.match(get(o .. i) or '', CHUNK_HEAD)
    if not ids then error('the order of messages is damaged') end
    return ids + 0, bytes + 0
  end
  local function bytes()
    if chunks == 0 then return 0 end
    local _, bytes = before(chunks - 1)
    return bytes + sizeOf('o', get(o .. chunks - 1))
  end
  if chunks > 0 then by[which .. chunks - 1] = get('p') end
  local stays = whole and 0 or math.max(total - drop, 0)
  if stays < total or whole then
    -- The chunks that begin before what goes are low to high; most often the last does.
    local low, high, step = 0, stays > 0 and chunks or 0, 1
    while low < high do
      local at = math.max(high - step, low)
      if before(at) < stays then
        low = at + 1
        step = math.max(math.floor((high - low) / 2), 1)
      else
        high, step = at, math.min(2 * step, math.max(math.floor((at - low) / 2), 1))
      end
    end
    if low < chunks then
      local ids, size = 0, 0
      if low > 0 then ids, size = before(low) end
      cut(o, low, chunks - 1, bytes() - size)
      for i = low, chunks - 1 do by[which .. i] = false end
      chunks, total, n = low, ids, 0
      if low > 0 then n = ids - before(low - 1) end
    end
    if stays < total then
      local name, text = o .. chunks - 1, get(o .. chunks - 1)
      n, total = n - (total - stays), stays
      local _, _, at = string.match(text, CHUNK_HEAD)
      put(name, string.sub(text, 1, at - 1) .. packed(unpacked(text, at), 1, n))
      produced(t, by, which .. chunks - 1, n, '')
    end
  end
  for i = first, last, 3 do
    local ids, text, told = tonumber(list[i]), list[i + 1], list[i + 2]
    local name = o .. chunks - 1
    local room = chunks > 0 and n + ids <= CHUNK
    if room then room = sizeOf(name, get(name)) + #text <= CHUNK_BYTES end
    if room then
      put(name, get(name) .. text)
      if told ~= '' then produced(t, by, which .. chunks - 1, n, told) end
      n = n + ids
    else
      put(o .. chunks, string.format('%.0f %.0f;', total, bytes()) .. text, true)
      produced(t, by, which .. chunks, 0, told)
      chunks, n = chunks + 1, ids
    end
    total = total + ids
  end
  return which .. chunks .. ' ' .. n .. ' ' .. total, by
end

local function chunksOf(n) return tonumber(string.match(n or '', '^%-?(%d+)') or 0) end

-- resnap moves the snapshot to the log's end: u.state ('': as it is), u.frozen ('' or nil: as it is;
-- left to the next putRun or putKept),
-- u.open ('' or nil: nothing is); the order, if
-- u.whole or if u.drop is not 0 or there are pieces list[u.o1..u.o2] (see reorder); messages,
-- pairs list[u.m1..u.m2] of id and message; and without those of the ids
-- list[u.x1..u.x2], which are others; and what pieces have brought of it before, u.brought, as
-- brought has it. known is as stored has it. It returns whether what a run
-- had open is gone with it.
local function resnap(t, r, u, list, known)
  local bytes, change, was = held(t, r) - known.bytes, {}, known.r ~= false
  local function get(name)
    if known[name] == nil then known[name] = redis.call('HGET', t.snap, name) end
    return known[name]
  end
  local function put(name, text, new)
    if known[name] == nil and not new then
      bytes = bytes - redis.call('HSTRLEN', t.snap, name)
    elseif known[name] then
      bytes = bytes - sizeOf(name, known[name])
    end
    if text then bytes = bytes + sizeOf(name, text) end
    known[name], change[name] = text, text
  end
  local function cut(name, from, to, size)
    bytes = bytes - size
    for i = from, to do
      known[name .. i], change[name .. i] = false, false
    end
  end
  if u.state ~= '' then put('s', u.state) end
  if (u.frozen or '') ~= '' then keep(t, 'g', u.frozen) end
  if (u.open or '') ~= '' then change.r, was = u.open, false elseif was then change.r = false end
  local by = {}
  if reorders(u) then
    change.n, by = reorder(t, get, put, cut, known.n, u.whole, u.drop, list, u.o1, u.o2)
    local which, b, l = string.match(change.n, '^%-?'), chunksOf(known.n) - 1, chunksOf(change.n) - 1
    local before, last = which .. b, which .. l
    if l < b and l >= 0 and by[last] == nil then by[last] = redis.call('HGET', t.producers, last) end
    if (by[last] or false) ~= get('p') then change.p = by[last] or false end
    by[last] = nil
    if l < b then by[before], by[which .. math.max(l, 0)] = nil, false end
    if by[before] == false then by[before] = nil end
  elseif u.brought and u.brought.orders > 0 then
    change.n, change.p = unpack(redis.call('HMGET', t.snap, 'w', 'q'))
    if change.p == '' then change.p = false end
    change.w, change.q = false, false
  end
  local appended = 0
  for i = u.o1, u.o2, 3 do appended = appended + list[i] end
  if u.whole or u.drop > 0 or u.brought or (u.m2 - u.m1 + 1) / 2 > appended then
    change.e = digits(r.seq)
  end
  -- pour carries out what has come together, if it is enough.
  local function pour(command, key, fields, enough)
    if #fields < enough then return fields end
    redis.call(command, key, unpack(fields))
    return {}
  end
  -- carry does it with fields that have changed, and returns what has not come together yet.
  local function carry(key, fields)
    local set, gone = {}, {}
    for name, text in pairs(fields) do
      if text then
        set[#set + 1], set[#set + 2] = name, text
        set = pour('HSET', key, set, 2 * TOGETHER)
      else
        gone[#gone + 1] = name
        gone = pour('HDEL', key, gone, TOGETHER)
      end
    end
    return set, gone
  end
  local fields, gone = carry(t.producers, by)
  pour('HSET', t.producers, fields, 1)
  pour('HDEL', t.producers, gone, 1)
  fields, gone = carry(t.snap, change)
  for i = u.m1, u.m2, 2 do
    bytes = bytes + #list[i + 1]
    fields[#fields + 1], fields[#fields + 2] = 'm' .. list[i], list[i + 1]
    fields = pour('HSET', t.snap, fields, 2 * TOGETHER)
  end
  for i = u.x1, u.x2 do
    gone[#gone + 1] = 'm' .. list[i]
    gone = pour('HDEL', t.snap, gone, TOGETHER)
  end
  pour('HSET', t.snap, fields, 1)
  pour('HDEL', t.snap, gone, 1)
  if u.brought then bytes = bytes + adopt(t, u.brought, chunksOf(known.n)) end
  r.snapat = r.seq
  r.held = string.format('%d %d %s', math.max(bytes, 0), r.snapat, string.match(change.n or known.n or '0', '^%-?%d+'))
  return was
end

-- marked notes that the log has a mark at a position, in whose place stands what the
-- snapshot says that is about to move behind it.
local function marked(t, r, at)
  r.gone, r.told = r.told, at
  redis.call('HSET', t.rec, 'told', r.told .. ' ' .. r.gone)
end
