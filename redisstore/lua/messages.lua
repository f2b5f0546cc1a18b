-- messages.lua: messages of a thread's stored snapshot, in pieces that keep nobody waiting.
--
-- KEYS  rec, snap, producers
-- ARGS
--   epoch   of the snapshot that was read; '': of whatever there is
--   moved   when it was last changed in another way than by messages behind the others; '': never
--   chunk   of the order; '': behind all of it
--   offset  in the chunk: the messages before that one are wanted
--   id      that stands there; '': whatever does
--   limit   how many messages
--   first   chunk of the order that is looked into
--   room    about how many bytes
--   by      1: and who produced them; 2: that alone
--
-- Returns {0} when the snapshot has another beginning; {1} when the id does not stand there; or
--   {2, chunk, offset and id of the first message, how many there are in all, {each message, behind its id
--   with by, the last one first}, {of each chunk that has some of them before which offset they stand, from
--   which on, who produced its ids}}.

local r = open(KEY.rec)
if ARG.epoch ~= '' and (r.epoch ~= ARG.epoch or (redis.call('HGET', KEY.snap, 'e') or '') ~= ARG.moved) then return { 0 } end
local w, chunks, which = windowed({ snap = KEY.snap, replaced = replaced({ snap = KEY.snap }, r) }, ARG.chunk, ARG.offset, ARG.id, tonumber(ARG.limit), tonumber(ARG.first), tonumber(ARG.room), ARG.by ~= '', ARG.by == '2')
if not w then return { 1 } end
local by = {}
for _, span in ipairs(ARG.by == '' and {} or w[6]) do
  local who
  if span[1] == chunks - 1 then who = redis.call('HGET', KEY.snap, 'p') else who = redis.call('HGET', KEY.producers, which .. span[1]) end
  by[#by + 1], by[#by + 2], by[#by + 3] = span[2], span[3], who or ''
end
return { 2, w[1], w[2], w[3], w[4], w[5], by }
