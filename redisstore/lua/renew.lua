-- renew.lua: extend a claim's lease, or give the claim up.
--
-- KEYS[1] rec
-- KEYS[2] leases
-- ARGV[7]  member
-- ARGV[8]  run
-- ARGV[9]  token
-- ARGV[10] dispatch epoch
-- ARGV[11] lease     ms; 0: give up, so that any node may claim it at once
--
-- Returns 1, or 0 if the claim is lost.

local r = open(KEYS[1])
if ARGV[9] == '' or r.run ~= ARGV[8] or r.token ~= ARGV[9] or r.depoch ~= tonumber(ARGV[10]) then return 0 end
local lease = tonumber(ARGV[11])
if lease > 0 then
  redis.call('HSET', KEYS[1], 'lease', NOW + lease)
  redis.call('ZADD', KEYS[2], NOW + lease, ARGV[7])
  return 1
end
redis.call('HSET', KEYS[1], 'lease', 0, 'token', '', 'node', '', 'cn', 0,
  'attempts', math.max(r.attempts - 1, 0))
redis.call('ZADD', KEYS[2], 0, ARGV[7])
nudge(ARGV[7])
return 1
