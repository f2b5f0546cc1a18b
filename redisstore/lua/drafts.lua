-- drafts.lua: keep answers to some of the open interrupts.
--
-- KEYS[1] rec
-- KEYS[2] exec
-- KEYS[3] drafts
-- ARGV[7] version  of the thread; 0: any
-- then    interrupt ids, each with its draft; '' deletes one
--
-- Returns {1, all drafts by then}, or {0} when the version is another or an id
--   is not open.

local t = { rec = KEYS[1], exec = KEYS[2], drafts = KEYS[3] }
local version = tonumber(ARGV[7])
if version ~= 0 and tonumber(redis.call('HGET', t.rec, 'ver') or 0) ~= version then return { 0 } end
if #ARGV > 7 then
  local _, head = suspension(t)
  if not head then return { 0 } end
  local open = {}
  for i = 1, #head[4], 8 do open[string.sub(head[4], i, i + 7)] = true end
  for i = 8, #ARGV, 2 do
    if not open[digest(ARGV[i])] then return { 0 } end
  end
  for i = 8, #ARGV, 2 do
    if ARGV[i + 1] == '' then
      redis.call('HDEL', t.drafts, ARGV[i])
    else
      redis.call('HSET', t.drafts, ARGV[i], ARGV[i + 1])
    end
  end
end
return { 1, redis.call('HGETALL', t.drafts) }
