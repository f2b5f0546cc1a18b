-- delete.lua: forget a thread in which no run is under way, with the questions open in it.
--
-- KEYS  all of the thread's, and decisions
-- ARGS
--   member
--   remember  ms for which the record keeps what must not be used again
--   force     1: whatever is going on, and whether or not it can be read; 2: so too, if
--             the record says that the thread is being deleted; 3: not if it was used
--   user      who deletes it; '': not known
--   open      the open interrupts that the decisions are about; '': none
-- EACH
--   interrupt  of a decision: its id
--   status
--   by         the user
--   tool
--   body
-- REST  the decisions
--
-- Returns {1, epoch, owner}, or {0, '', ''} when a run is active or an input waits.
--   epoch: the one under which the log begins again; '' when nobody has
--   used the thread or followed it. owner: for whom it has counted, or ''.
--   {2, open, names, suspension} when other interrupts are open than the decisions are
--   about: nothing is deleted.

local t, member = keysOf(KEYS), ARG.member

-- gone reports whether the thread was taken away, and nothing has come since.
local function gone()
  return redis.call('HEXISTS', t.rec, 'was') == 1 and redis.call('HEXISTS', t.rec, 'input') == 0
    and redis.call('EXISTS', t.log, t.big, t.snap, t.runs, t.journal, t.closing, t.queue, t.disp, t.archive,
      t.drafts, t.past, t.producers) == 0
end

-- unname takes the name away that a thread got before its first input.
local function unname()
  redis.call('HDEL', t.rec, 'going')
  if redis.call('HDEL', t.rec, 'title', 'named') > 0 then redis.call('PEXPIRE', t.rec, ARG.remember) end
end

-- cancel takes the open questions off the lists, with the decisions on record. What of it
-- fails keeps no thread.
local function cancel(r, head)
  pcall(function()
    local list = decisionsIn(REST, #ARGV)
    local listing = recordDecisions(t, member, '', list, redis.call('HMGET', t.runs, unpack(refusals(list))))
    piecewise('ZADD', t.lists, listing, 1, #listing)
  end)
  pcall(inbox, t, member, 'ZREM', head)
  pcall(changed, t, member, 'interrupt.cancelled', head, head[5], { run = head[2] == '' and r.latest or head[2], by = ARG.user })
end

if ARG.force == '2' and redis.call('HEXISTS', t.rec, 'going') == 0 then return { 1, '', '' } end
if ARG.force == '3' and redis.call('HEXISTS', t.rec, 'input') == 1 then return { 0, '', '' } end
if ARG.force == '1' or ARG.force == '2' then
  repair(t)
  local r = open(t.rec)
  if gone() then
    unname()
    return { 1, r.epoch, '' }
  end
  local ok, text, head = pcall(suspension, t)
  if ok and text and head[4] ~= ARG.open then return { 2, head[4], head[5] or '', text } end
  r.depoch = r.depoch + 1
  fenced(r.node, member, r.token)
  if ok and text then cancel(r, head) end
  if ordered(t) then -- else what erase counts has them too
    local live = redis.call('ZRANGE', t.queue, 0, -1)
    live[#live + 1] = r.run
    for _, id in ipairs(live) do
      local d = readable(t, id)
      if d and not TERMINAL[d.state] then count(t, { [d.state] = -1 }) end
    end
  end
  redis.call('UNLINK', t.queue, t.closing)
  redis.call('ZREM', t.leases, member)
  if redis.call('HEXISTS', t.rec, 'input') == 0 then redis.call('HSET', t.rec, 'input', 0) end
  return { 1, ARG.fresh, erase(t, r, member, ARG.remember, ARG.user) }
end
local r = open(t.rec)
if r.run ~= '' or redis.call('EXISTS', t.queue) == 1 then return { 0, '', '' } end
local text, head = suspension(t)
if text then
  if head[4] ~= ARG.open then return { 2, head[4], head[5] or '', text } end
  cancel(r, head)
end
if redis.call('HEXISTS', t.rec, 'input') == 0 then
  announce(t)
  unname()
  return { 1, r.new and '' or r.epoch, '' }
end
return { 1, ARG.fresh, erase(t, r, member, ARG.remember, ARG.user) }
