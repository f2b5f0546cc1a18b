-- archived.lua: which messages were taken out of a thread, of more than come with its reading.
--
-- KEYS  rec, archive
-- ARGS
--   version  that was read
-- REST  ids
--
-- Returns {1, of each id 1 if it was}; {0}: the thread is another.

if open(KEY.rec).ver ~= tonumber(ARG.version) then return { 0 } end
return { 1, archivedOf({ archive = KEY.archive }, ARGV, REST) }
