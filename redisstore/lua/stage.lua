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
--   puts     1: of messages to be put, id and message; 0: of ids to be taken out
-- REST  those
--
-- Returns {0, ids of messages that there are already, which are not brought}; {1, stamp}: what
--   another decision has left must be cleared first, or the pieces be brought from the first on;
--   {2}: the decision is not to be made, or was made.

local t = keysOf(KEYS)
local r = open(t.rec)
if ARG.run ~= '' then
  if fence(r, ARG.run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), tonumber(ARG.expect)) ~= OK then return { 2 } end
elseif r.run ~= '' or r.epoch ~= ARG.epoch or r.ver ~= tonumber(ARG.version) then
  return { 2 }
end
local p = mayHave(r, 'p') and readPieces(t) or { stamp = ARG.stamp, puts = 0, put = 0, removes = 0, removed = 0 }
local puts, piece = ARG.puts == '1', tonumber(ARG.piece)
local name, field, bytes = puts and 'x' or 'y', puts and 'puts' or 'removes', puts and 'put' or 'removed'
if p.stamp ~= ARG.stamp or piece > p[field] then return { 1, p.stamp } end

local ids, there, messages = {}, {}, {}
if piece < p[field] then -- sent again
  local listed = {}
  for _, id in ipairs(puts and unpacked(redis.call('HGET', t.snap, name .. piece) or '') or {}) do listed[id] = true end
  for i = REST, puts and #ARGV or 0, 2 do
    if not listed[ARGV[i]] then there[#there + 1] = ARGV[i] end
  end
  return { 0, there }
end
local was = stored(t, r, { state = '', drop = 0, o1 = 1, o2 = 0, m1 = REST, m2 = puts and #ARGV or 0, x1 = REST, x2 = puts and 0 or #ARGV }, ARGV)
if not puts then
  for i = REST, #ARGV do ids[#ids + 1] = ARGV[i] end
  p[bytes] = p[bytes] + was.bytes
else
  for i = REST, #ARGV, 2 do
    if was.bytes > 0 and redis.call('HEXISTS', t.snap, 'm' .. ARGV[i]) == 1 then
      there[#there + 1] = ARGV[i]
    else
      ids[#ids + 1], messages[#messages + 1], messages[#messages + 2] = ARGV[i], 'm' .. ARGV[i], ARGV[i + 1]
      p[bytes] = p[bytes] + #ARGV[i + 1]
    end
  end
  piecewise('HSET', t.snap, messages, 1, #messages)
end
p[field] = piece + 1
redis.call('HSET', t.snap, name .. piece, table.concat(pack({}, ids, 1, #ids)))
putPieces(t, p)
if not mayHave(r, 'p') then
  gets(r, 'p')
  redis.call('HSET', t.rec, 'has', r.has)
end
return { 0, there }
