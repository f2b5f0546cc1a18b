-- pieces.lua: a change of very many stored messages in pieces, so that none of them keeps the
-- server from others. It stands after thread.lua.
--
-- Before the script that decides, stage.lua brings messages, as fields z, the ids of those that are to
-- go, and a new order, in chunks whose numbers have a minus if those of the present one have none. Nobody sees any of
-- it. The decision makes it count. Behind it, clear.lua makes fields m of
-- fields z, which until then are read in their place, and takes out what has gone, which
-- the order of the messages names no more, and the order before. Pieces of a decision that is not made any more are taken out
-- before the next one.
--
-- The state of it stands beside the messages. x has the decision, or '' when that was made; how
-- many lists of messages there are, and how many bytes more the messages have with them; and the
-- same of those that go, and how many bytes less; of how many pieces of the order has come, and how many chunks
-- stand beside the present one. w and q are to be n and p. z0, z1, … are lists of the ids of messages, y0, y1, … of
-- those that go; behind z: stands the id of a message.
--
-- A stamp ends with the numbers of lists and pieces of each kind that the decision needs. A call that takes out a list of an
-- undecided change makes its stamp VOID, so that no decision counts the others.

local VOID = '-'

local function readPieces(t)
  local stamp, puts, put, removes, removed, orders, chunks = string.match(redis.call('HGET', t.snap, 'x') or '', '^(%S*) (%d+) (%-?%d+) (%d+) (%d+) (%d+) (%d+)$')
  if stamp then
    return { stamp = stamp, puts = puts + 0, put = put + 0, removes = removes + 0, removed = removed + 0, orders = orders + 0, chunks = chunks + 0 }
  end
end

local function putPieces(t, p)
  redis.call('HSET', t.snap, 'x', string.format('%s %d %.0f %d %.0f %d %d', p.stamp, p.puts, p.put, p.removes, p.removed, p.orders, p.chunks))
end

-- replaced reports whether fields z are to be read in the place of fields m.
local function replaced(t, r)
  local p = mayHave(r, 'p') and readPieces(t)
  return p and p.stamp == '' and p.puts > 0
end

-- brought are the pieces that a decision has; nil: it has none. stamp names it; '': it brought
-- none. Behind that, the stamp of what is to be cleared first: '' may also mean that its
-- own are to be brought again.
local function brought(t, r, stamp)
  local p = mayHave(r, 'p') and readPieces(t)
  if not p then
    loses(r, 'p')
    return nil, stamp ~= '' and '' or nil
  end
  local puts, removes, orders = string.match(stamp, '%.(%d+)%.(%d+)%.(%d+)$')
  if p.stamp == '' or p.stamp ~= stamp or p.puts ~= tonumber(puts) or p.removes ~= tonumber(removes) or p.orders ~= tonumber(orders) then
    return nil, p.stamp
  end
  return p
end

-- adopt makes pieces count, before which the order has so many chunks. It returns how many bytes more the messages have.
local function adopt(t, p, chunks)
  putPieces(t, { stamp = '', puts = p.puts, put = 0, removes = p.removes, removed = 0, orders = 0, chunks = p.orders > 0 and chunks or 0 })
  return p.put - p.removed
end

-- clear does a piece of what is left to do. It returns how many are left, or about so many. stamp is as brought
-- tells it; nil: whatever there is.
local function clear(t, r, stamp)
  local p = readPieces(t) or { stamp = stamp, puts = 0, removes = 0, chunks = 0 }
  if stamp and p.stamp ~= stamp and p.stamp ~= VOID then return 0 end
  local decided, gone = p.stamp == '', {}
  if not decided then p.stamp = VOID end
  -- take takes a list out, and the fields that are named after its ids. It returns the ids.
  local function take(list, field)
    local ids = unpacked(redis.call('HGET', t.snap, list) or '')
    for i, id in ipairs(ids) do gone[i] = field .. id end
    gone[#gone + 1] = list
    return ids
  end
  if p.puts > 0 then
    p.puts = p.puts - 1
    local ids = take('z' .. p.puts, 'z:')
    for i = 1, decided and #ids or 0, 250 do
      local set = {}
      for j, text in ipairs(redis.call('HMGET', t.snap, unpack(gone, i, math.min(i + 249, #ids)))) do
        if text then set[#set + 1], set[#set + 2] = 'm' .. ids[i + j - 1], text end
      end
      if #set > 0 then redis.call('HSET', t.snap, unpack(set)) end
    end
  elseif p.removes > 0 then
    p.removes = p.removes - 1
    if decided then take('y' .. p.removes, 'm') else gone[1] = 'y' .. p.removes end
  elseif p.chunks > 0 then
    local beside, all, by = string.byte(redis.call('HGET', t.snap, 'n') or '') == 45 and '' or '-', p.chunks, {} -- a minus
    p.chunks = math.max(all - 250, 0)
    for i = p.chunks, all - 1 do gone[#gone + 1], by[#by + 1] = 'o' .. beside .. i, beside .. i end
    redis.call('HDEL', t.producers, unpack(by))
  end
  local left = p.puts + p.removes + p.chunks
  if left > 0 then
    putPieces(t, p)
  else
    for _, name in ipairs({ 'x', 'w', 'q' }) do gone[#gone + 1] = name end
    loses(r, 'p')
    redis.call('HSET', t.rec, 'has', r.has)
  end
  piecewise('HDEL', t.snap, gone, 1, #gone)
  return left
end
