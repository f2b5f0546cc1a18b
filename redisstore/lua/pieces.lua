-- pieces.lua: a change of very many stored messages in pieces, so that none of them keeps the
-- server from others. It stands after thread.lua.
--
-- What there is of the messages is what their order names. So new ones are brought in pieces
-- before the script that decides (stage.lua): nobody sees them. So are the ids of those that
-- are to go, and the decision makes them count. What goes is taken out in pieces behind the
-- decision (clear.lua): nobody sees it any more.
--
-- The state of it stands beside the messages: x has the decision, or '' when that was made; how
-- many lists of ids have been brought, and how many bytes the messages in them have; and the same of
-- those that go. x0, x1, … are the lists of the new ones, y0, y1, … of those that go.
-- Pieces of a decision that is not made any more are taken out before the next one.

local function readPieces(t)
  local stamp, puts, put, removes, removed = string.match(redis.call('HGET', t.snap, 'x') or '', '^(%S*) (%d+) (%d+) (%d+) (%d+)$')
  if stamp then return { stamp = stamp, puts = puts + 0, put = put + 0, removes = removes + 0, removed = removed + 0 } end
end

local function putPieces(t, p)
  redis.call('HSET', t.snap, 'x', string.format('%s %d %.0f %d %.0f', p.stamp, p.puts, p.put, p.removes, p.removed))
end

-- dropLists takes lists out, and with the last of them the state.
local function dropLists(t, name, n, ...)
  local fields = { ... }
  for i = 0, n - 1 do fields[#fields + 1] = name .. i end
  piecewise('HDEL', t.snap, fields, 1, #fields)
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
  if p.stamp == '' or p.stamp ~= stamp then return nil, p.stamp end
  return p
end

-- adopt makes pieces count. It returns how many bytes more the messages have.
local function adopt(t, r, p)
  if p.removes > 0 then
    putPieces(t, { stamp = '', puts = 0, put = 0, removes = p.removes, removed = p.removed })
    dropLists(t, 'x', p.puts)
  else
    dropLists(t, 'x', p.puts, 'x')
    loses(r, 'p')
  end
  return p.put - p.removed
end

-- clear takes out the messages of a list that are no more, or never were to be. It returns how many
-- lists are left. stamp is as brought tells it; nil: whatever there is.
local function clear(t, r, stamp)
  local p = readPieces(t) or { stamp = stamp, puts = 0, removes = 0 }
  if stamp and p.stamp ~= stamp then return 0 end
  local decided = p.stamp == ''
  local name, field = decided and 'y' or 'x', decided and 'removes' or 'puts'
  local n = p[field]
  if n > 0 then
    local list, fields = unpacked(redis.call('HGET', t.snap, name .. n - 1) or ''), {}
    for i, id in ipairs(list) do fields[i] = 'm' .. id end
    fields[#fields + 1] = name .. n - 1
    piecewise('HDEL', t.snap, fields, 1, #fields)
    n, p[field] = n - 1, n - 1
  end
  if n > 0 then
    putPieces(t, p)
  else
    dropLists(t, decided and 'x' or 'y', decided and p.puts or p.removes, 'x')
    loses(r, 'p')
    redis.call('HSET', t.rec, 'has', r.has)
  end
  return n
end
