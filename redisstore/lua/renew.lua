-- renew.lua: extend a claim's lease.
--
-- KEYS[1] rec
-- KEYS[2] leases
-- ARGV[7]  member
-- ARGV[8]  run
-- ARGV[9]  token
-- ARGV[10] dispatch epoch
-- ARGV[11] lease     ms
--
-- Returns 1, or 0 if the claim is lost.

local r = open(KEYS[1])
if not holds(r, ARGV[8], ARGV[9], tonumber(ARGV[10])) then return 0 end
local lease = NOW + tonumber(ARGV[11])
redis.call('HSET', KEYS[1], 'lease', lease)
redis.call('ZADD', KEYS[2], lease, ARGV[7])
return 1
