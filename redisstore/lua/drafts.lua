-- drafts.lua: keep answers to some of the open interrupts.
--
-- KEYS  rec, runs, drafts, notices
-- ARGS
--   version  of the thread; 0: any
--   by       the user; '': not known
-- REST  interrupt ids, each with its draft; '' deletes one
--
-- Returns {1, all drafts by then}, or {0} when the version is another or an id
--   is not open. A call that finds what it asks for is not held to the version: it
--   is one that was sent again.

local t = { rec = KEY.rec, runs = KEY.runs, drafts = KEY.drafts, notices = KEY.notices }
local version = tonumber(ARG.version)
local changes, replaces, others, about = #ARGV < REST, false, {}, nil
if #ARGV >= REST then
  local _, head = suspension(t)
  if not head then return { 0 } end
  about = head
  local open = {}
  for i = 1, #head[4], 8 do open[string.sub(head[4], i, i + 7)] = true end
  for i = REST, #ARGV, 2 do
    if not open[digest(ARGV[i])] then return { 0 } end
    local before = redis.call('HGET', t.drafts, ARGV[i])
    if (before or '') ~= ARGV[i + 1] then
      changes = true
      others[#others + 1] = ARGV[i]
      if before then replaces = true end
    end
  end
end
local rec = changes and redis.call('HMGET', t.rec, 'ver', 'latest', 'thread', 'has')
if changes and version ~= 0 and tonumber(rec[1] or 0) ~= version then return { 0 } end
for i = REST, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', t.drafts, ARGV[i])
  else
    redis.call('HSET', t.drafts, ARGV[i], ARGV[i + 1])
  end
end
if changes then
  local r = { has = rec[4] or '' }
  gets(r, 'd')
  redis.call('HSET', t.rec, 'has', r.has)
end
-- Who has judged on a draft that is there no more must judge again.
if #others > 0 then
  changed(t, rec[3], 'interrupt.drafted', about, names(others, 1, #others), { run = about[2] == '' and rec[2] or about[2], by = ARG.by })
  announce(t)
end
if replaces then redis.call('HINCRBY', t.rec, 'ver', 1) end
return { 1, redis.call('HGETALL', t.drafts) }
