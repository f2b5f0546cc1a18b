-- archive.lua: archive ids of messages that a run is about to take out of the thread, a piece of
-- very many. They count when the run has begun.
--
-- KEYS  rec, archive
-- ARGS
--   version  of the view that was judged
--   run      id
--   piece    its number, from 0 on
--   keep     ms for which what was archived is kept
-- REST  id and message of each
--
-- Returns {1}; {0}: the thread is another, or another run brings its own, and nothing is changed.

local t = { rec = KEY.rec, archive = KEY.archive }
if open(t.rec).ver ~= tonumber(ARG.version) then return { 0 } end
local owner, piece = archiverOf(ARG.run, ARG.version), tonumber(ARG.piece)
local function after(n) return string.format('%s %d', owner, n) end
if piece > 0 then
  local has = redis.call('HGET', t.archive, BRINGS)
  if has ~= after(piece) and has ~= after(piece + 1) then return { 0 } end
end
local put = { BRINGS, after(piece + 1) }
for i = REST, #ARGV, 500 do
  local ids, last = {}, math.min(i + 499, #ARGV)
  for j = i, last, 2 do ids[#ids + 1] = ARGV[j] end
  for j, text in ipairs(redis.call('HMGET', t.archive, unpack(ids))) do
    if not inArchive(t, text) then
      put[#put + 1], put[#put + 2] = ids[j], PENDING .. owner .. PENDING .. ARGV[i + 2 * j - 1]
    end
  end
  if #put > 0 then redis.call('HSET', t.archive, unpack(put)) end
  put = {}
end
redis.call('PEXPIRE', t.archive, ARG.keep)
return { 1 }
