-- drafts.lua: keep answers to some of the open interrupts.
--
-- KEYS  rec, journal, drafts
-- ARGS
--   version  of the thread; 0: any
-- REST  interrupt ids, each with its draft; '' deletes one
--
-- Returns {1, all drafts by then}, or {0} when the version is another or an id
--   is not open. A call that finds what it asks for is not held to the version: it
--   is one that was sent again.

local t = { rec = KEY.rec, journal = KEY.journal, drafts = KEY.drafts }
local version = tonumber(ARG.version)
local changes, replaces = #ARGV < REST, false
if #ARGV >= REST then
  local _, head = suspension(t)
  if not head then return { 0 } end
  local open = {}
  for i = 1, #head[4], 8 do open[string.sub(head[4], i, i + 7)] = true end
  for i = REST, #ARGV, 2 do
    if not open[digest(ARGV[i])] then return { 0 } end
    local before = redis.call('HGET', t.drafts, ARGV[i])
    if (before or '') ~= ARGV[i + 1] then
      changes = true
      if before then replaces = true end
    end
  end
end
if changes and version ~= 0 and tonumber(redis.call('HGET', t.rec, 'ver') or 0) ~= version then return { 0 } end
for i = REST, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', t.drafts, ARGV[i])
  else
    redis.call('HSET', t.drafts, ARGV[i], ARGV[i + 1])
  end
end
-- Who has judged on a draft that is there no more must judge again.
if replaces then redis.call('HINCRBY', t.rec, 'ver', 1) end
return { 1, redis.call('HGETALL', t.drafts) }
