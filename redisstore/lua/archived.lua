-- archived.lua: which messages were taken out of a thread, of more than come with its reading.
--
-- KEYS  rec, archive
-- ARGS
--   epoch    that was read
--   version
--   same     1: a journal was read beside it
-- REST  ids
--
-- Returns {1, of each id 1 if it was}; {0}: some were taken out since, or, with same, the
--   thread has another version.

local r = open(KEY.rec)
local taken = tonumber(redis.call('HGET', KEY.archive, BEGUN) or 0)
if r.epoch ~= ARG.epoch or taken > tonumber(ARG.version) or ARG.same == '1' and r.ver ~= tonumber(ARG.version) then return { 0 } end
return { 1, archivedOf({ archive = KEY.archive }, ARGV, REST) }
