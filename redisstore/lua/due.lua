-- due.lua: the threads of a partition that want a claim.
--
-- KEYS[1] leases
-- KEYS[2] ready
-- ARGV[7] limit
--
-- Returns members: expired leases first, then ready threads, among them the
-- suspensions that have come to their deadline.

local out = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. now(), 'LIMIT', 0, ARGV[7])
for _, m in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now(), 'LIMIT', 0, ARGV[7])) do out[#out + 1] = m end
return out
