-- archive.lua: archive ids of messages that a run is about to take out of the thread, a piece of
-- very many. They count when the run has begun.
--
-- KEYS  rec, archive
-- ARGS
--   version  of the view that was judged
--   run      id
--   keep     ms for which what was archived is kept
-- REST  id and message of each
--
-- Returns {1}; {0}: the thread is another, and nothing is changed.

local t = { rec = KEY.rec, archive = KEY.archive }
if open(t.rec).ver ~= tonumber(ARG.version) then return { 0 } end
for i = REST, #ARGV, 500 do
  local ids, put, last = {}, {}, math.min(i + 499, #ARGV)
  for j = i, last, 2 do ids[#ids + 1] = ARGV[j] end
  for j, text in ipairs(redis.call('HMGET', t.archive, unpack(ids))) do
    if not inArchive(t, text) then
      put[#put + 1], put[#put + 2] = ids[j], PENDING .. ARG.run .. PENDING .. ARGV[i + 2 * j - 1]
    end
  end
  if #put > 0 then redis.call('HSET', t.archive, unpack(put)) end
end
redis.call('PEXPIRE', t.archive, ARG.keep)
return { 1 }
