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
-- Returns {0}; {1, stamp}: what another decision has left must be cleared first, or the pieces be
--   brought from the first on; {2}: the decision is not to be made, or was made.

local t = keysOf(KEYS)
local r = open(t.rec)
if ARG.run ~= '' then
  if fence(r, ARG.run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), tonumber(ARG.expect)) ~= OK then return { 2 } end
elseif r.run ~= '' or r.epoch ~= ARG.epoch or r.ver ~= tonumber(ARG.version) then
  return { 2 }
end
local p = mayHave(r, 'p') and readPieces(t) or { stamp = ARG.stamp, puts = 0, put = 0, removes = 0, removed = 0 }
local puts, piece = ARG.puts == '1', tonumber(ARG.piece)
local field, bytes = puts and 'puts' or 'removes', puts and 'put' or 'removed'
if p.stamp ~= ARG.stamp or piece > p[field] then return { 1, p.stamp } end

if piece < p[field] then return { 0 } end -- sent again

local was = stored(t, r, { state = '', drop = 0, o1 = 1, o2 = 0, m1 = REST, m2 = puts and #ARGV or 0, x1 = REST, x2 = puts and 0 or #ARGV }, ARGV)
local ids, fields, added = {}, {}, puts and -was.bytes or was.bytes
for i = REST, #ARGV, puts and 2 or 1 do
  ids[#ids + 1] = ARGV[i]
  if puts then
    fields[#fields + 1], fields[#fields + 2], added = 'z:' .. ARGV[i], ARGV[i + 1], added + #ARGV[i + 1]
  end
end
fields[#fields + 1], fields[#fields + 2] = (puts and 'z' or 'y') .. piece, packed(ids, 1, #ids)
piecewise('HSET', t.snap, fields, 1, #fields)
p[field], p[bytes] = piece + 1, p[bytes] + added
putPieces(t, p)
if not mayHave(r, 'p') then
  gets(r, 'p')
  redis.call('HSET', t.rec, 'has', r.has)
end
return { 0 }
