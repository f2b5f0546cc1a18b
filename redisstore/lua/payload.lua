-- payload.lua: what the scripts that forget payloads share. Their keys are made of a
-- thread's, T, and of its partition's, P, in whose slot all of them lie.

-- placeOf splits T into P and the thread's hash.
local function placeOf(T) return string.match(T, '^(.*:)([^:]+):$') end

-- lessen takes from a number of a hash; one that is none is forgotten, and so is the last of it.
local function lessen(key, field, by)
  local n = redis.pcall('HINCRBY', key, field, -by)
  if type(n) == 'table' or n <= 0 then redis.pcall('HDEL', key, field) end
end

-- unpaid takes what counted for a payload off its thread and its namespace. line is what
-- the thread says of it.
local function unpaid(T, digest, line)
  local size = tonumber(string.match(line, '^(%d+) ') or 0)
  local P, ns = placeOf(T), redis.call('HGET', T .. 'payloads', 'ns')
  redis.call('UNLINK', T .. 'payload:' .. digest)
  redis.call('HDEL', T .. 'payloads', 'd' .. digest)
  local n = redis.pcall('HINCRBY', T .. 'payloads', 'n', -1)
  if type(n) == 'table' or n <= 0 then redis.call('HDEL', T .. 'payloads', 'n', 'bytes') else
    lessen(T .. 'payloads', 'bytes', size)
  end
  if ns then lessen(P .. 'payloads', ns, size) end
end

-- unpayAll forgets all payloads of a thread, with few commands: there may be a thousand.
local function unpayAll(T)
  local all = redis.pcall('HGETALL', T .. 'payloads')
  if all.err then redis.call('UNLINK', T .. 'payloads') end
  if #all == 0 then return end
  local P, hash = placeOf(T)
  local pieces, places, of = { T .. 'payloads' }, {}, {}
  for i = 1, #all, 2 do
    local kind, digest = string.sub(all[i], 1, 1), string.sub(all[i], 2)
    if kind == 'd' then pieces[#pieces + 1] = T .. 'payload:' .. digest end
    if (kind == 'd' or kind == 'g') and #digest == 64 then places[#places + 1] = hash .. ':' .. digest end
    of[all[i]] = all[i + 1]
  end
  for i = 1, #pieces, 500 do redis.call('UNLINK', unpack(pieces, i, math.min(i + 499, #pieces))) end
  piecewise('ZREM', P .. 'payloads:due', places, 1, #places)
  if of.ns and tonumber(of.bytes) then lessen(P .. 'payloads', of.ns, tonumber(of.bytes)) end
end
