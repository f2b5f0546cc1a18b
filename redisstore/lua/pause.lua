-- pause.lua: set or clear the wish that the active run suspends.
--
-- KEYS[1] rec
-- ARGV[7] on  1 or 0
--
-- Returns 1 if a run is active; without one there is nothing to wish.

local r = open(KEYS[1])
if r.run == '' then return 0 end
redis.call('HSET', KEYS[1], 'pause', ARGV[7] == '1' and '1' or '')
return 1
