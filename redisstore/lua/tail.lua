-- tail.lua: the ends of several logs, and the node goes on following them.
--
-- KEYS    for each thread: rec, followers
-- ARGV[7] follow   ms for which the node follows
-- then    for each thread: member
--
-- Returns for each thread: epoch, end of the log.

local out = {}
for k = 1, #KEYS, 2 do
  local r = open(KEYS[k])
  create(KEYS[k], r, ARGV[7 + (k + 1) / 2], 2 * tonumber(ARGV[7]))
  follow(KEYS[k + 1], tonumber(ARGV[7]))
  out[#out + 1], out[#out + 2] = r.epoch, r.seq
end
return out
