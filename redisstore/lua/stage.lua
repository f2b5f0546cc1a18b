-- stage.lua: bring a piece of what a decision is about to change of the stored messages.
--
-- KEYS  all of the thread's
-- ARGS
--   run      whose batch decides; '': a checkpoint does, of a thread at rest
--   token
--   depoch   the dispatch epoch
--   number
--   expect   position
--   version  of a checkpoint: that was read
--   epoch    that was read
--   stamp    names the decision
--   piece    the number of the piece among those of its kind, from 0 on
--   kind     puts: of messages to be put, id and message; removes: of ids to be taken out; orders: of the
--            order that is to be, as reorder has them
--   drop     orders: how many ids go off the end of the present order, behind which they stand; '': all
-- REST  those
--
-- Returns {0}; {3}: what stays of the present order is not copied yet, and the piece is to be brought again; {1, stamp}: what another decision has left must be cleared first, or the pieces be
--   brought from the first on; {2}: the decision is not to be made, or was made.

-- COPIED is how many chunks of an order one call copies.
local COPIED = 64

local t = keysOf(KEYS)
local r = open(t.rec)
if ARG.run ~= '' then
  if fence(r, ARG.run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), tonumber(ARG.expect)) ~= OK then return { 2 } end
elseif r.run ~= '' or r.epoch ~= ARG.epoch or r.ver ~= tonumber(ARG.version) then
  return { 2 }
end
local p = mayHave(r, 'p') and readPieces(t) or { stamp = ARG.stamp, puts = 0, put = 0, removes = 0, removed = 0, orders = 0, chunks = 0 }
local puts, piece, field = ARG.kind == 'puts', tonumber(ARG.piece), ARG.kind
if p.stamp ~= ARG.stamp or piece > p[field] then return { 1, p.stamp } end

if piece < p[field] then return { 0 } end -- sent again

-- noted stores that a piece, or part of one, has come with fields, and what it changes of the bytes.
local function noted(fields, bytes, more)
  piecewise('HSET', t.snap, fields, 1, #fields)
  p[bytes] = p[bytes] + more
  putPieces(t, p)
  if not mayHave(r, 'p') then
    gets(r, 'p')
    redis.call('HSET', t.rec, 'has', r.has)
  end
end

if ARG.kind == 'orders' then
  local v = redis.call('HMGET', t.snap, 'n', 'w')
  local which, chunks, last, total = string.match(v[1] or '0 0 0', '^(%-?)(%d+) (%d+) (%d+)$')
  chunks, last, total = tonumber(chunks), tonumber(last), tonumber(total)
  local beside, known, change, copied = which == '' and '-' or '', {}, {}, 0
  local function get(name)
    if known[name] == nil then known[name] = redis.call('HGET', t.snap, name == 'p' and 'q' or name) end
    return known[name]
  end
  local function put(name, text) known[name], change[name] = text, text end
  -- size is how many bytes an order has.
  local function size(n)
    local name = string.match(n, '^%-?') .. chunksOf(n) - 1
    if chunksOf(n) == 0 then return 0 end
    local _, before = string.match(get('o' .. name), CHUNK_HEAD)
    return before + sizeOf('o', get('o' .. name))
  end
  local n, by, told = v[2] or beside .. '0 0 0', {}, size(v[2] or v[1] or '0 0 0')
  local stays, has = ARG.drop == '' and 0 or math.max(total - ARG.drop, 0), tonumber(string.match(n, '%d+$'))
  if piece == 0 and has < stays then
    local first, names, numbers = chunksOf(n), {}, {}
    for i = first, math.min(first + COPIED, chunks) - 1 do
      names[#names + 1], numbers[#numbers + 1] = 'o' .. which .. i, which .. i
    end
    local texts, who = redis.call('HMGET', t.snap, unpack(names)), redis.call('HMGET', t.producers, unpack(numbers))
    if first + #names == chunks then who[#names] = redis.call('HGET', t.snap, 'p') end
    for i, text in ipairs(texts) do
      local before = string.match(text or '', CHUNK_HEAD) or error('the order of messages is damaged')
      if before + 0 < stays then
        put('o' .. beside .. first + i - 1, text)
        by[beside .. first + i - 1] = who[i]
        copied, last = i, before
      end
    end
    local following = string.match(texts[copied + 1] or first + copied < chunks and redis.call('HGET', t.snap, 'o' .. which .. first + copied) or '', '^%d+')
    has = tonumber(following or total)
    by[beside .. first - 1] = first > 0 and redis.call('HGET', t.snap, 'q')
    n = beside .. first + copied .. ' ' .. has - last .. ' ' .. has
  end
  if copied == 0 then
    n, by = reorder(t, get, put, nil, n, false, piece == 0 and has - stays or 0, ARGV, REST, #ARGV)
    p.orders = piece + 1
  end
  p.chunks = chunksOf(n)
  local fields, others, latest = { 'w', n, 'q', '' }, {}, beside .. p.chunks - 1
  fields[4], by[latest] = by[latest] or '', nil
  for name, text in pairs(change) do fields[#fields + 1], fields[#fields + 2] = name, text end
  for name, text in pairs(by) do
    if (text or '') ~= '' then others[#others + 1], others[#others + 2] = name, text end
  end
  piecewise('HSET', t.producers, others, 1, #others)
  noted(fields, 'put', size(n) - told)
  return { copied > 0 and 3 or 0 }
end

local was = stored(t, r, { state = '', drop = 0, o1 = 1, o2 = 0, m1 = REST, m2 = puts and #ARGV or 0, x1 = REST, x2 = puts and 0 or #ARGV }, ARGV)
local ids, fields, added = {}, {}, puts and -was.bytes or was.bytes
for i = REST, #ARGV, puts and 2 or 1 do
  ids[#ids + 1] = ARGV[i]
  if puts then
    fields[#fields + 1], fields[#fields + 2], added = 'z:' .. ARGV[i], ARGV[i + 1], added + #ARGV[i + 1]
  end
end
fields[#fields + 1], fields[#fields + 2] = (puts and 'z' or 'y') .. piece, packed(ids, 1, #ids)
p[field] = piece + 1
noted(fields, puts and 'put' or 'removed', added)
return { 0 }
