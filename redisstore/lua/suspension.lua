-- suspension.lua: open interrupts. It stands after work.lua and index.lua.
--
-- A suspension rests with its execution as two packed strings, what the index
-- knows of it and its text. The first holds when it opened, the run that asked
-- ('': the thread's latest), digests of its reasons, and of the ids of its
-- interrupts; then, packed, both as notices name them; then the first millisecond
-- after its deadline, '' if it has none; and when all interrupts have expired, '0' if never.

local function sealed(head, text)
  return packed({ packed(head, 1, #head), text }, 1, 2)
end

local function suspended(t)
  local x = getExecution(t)
  return x ~= nil and (x.open or '') ~= ''
end

-- suspension returns the open one's text, and what the index knows of it.
local function suspension(t)
  local x = getExecution(t)
  if not x or (x.open or '') == '' then return end
  local parts = unpacked(x.open)
  return parts[2], unpacked(parts[1])
end

-- reviewers are the users who look at the suspension now, each behind the time until which
-- it does, and the one to whom it is assigned, behind such a time and ' a': those of a packed
-- list that begins with when a suspension has opened. What is noted of another suspension is
-- not of this, and what cannot be read is nothing.
local function reviewers(noted, head)
  local ok, list = pcall(unpacked, noted or '')
  local out = {}
  if not ok or list[1] ~= head[1] then return out end
  for i = 3, #list, 2 do
    if (tonumber(string.match(list[i - 1], '^%d+')) or 0) > NOW then
      out[#out + 1] = list[i - 1]
      out[#out + 1] = list[i]
    end
  end
  return out
end

-- reopen leaves the thread suspended, with what is stored, whose head the index knows. wants is
-- when it wants a claim, the first millisecond after its deadline; false: never. What of it
-- t.runs has is left to the next putRun.
local function reopen(t, r, member, stored, head, wants)
  local x = getExecution(t)
  x.open, x.susp, x.given, x.jlen, x.deadline = stored, nil, nil, nil, nil
  putExecution(t, x)
  if wants then
    redis.call('ZADD', t.ready, wants, member)
    gets(r, 'w')
  end
  inbox(t, member, 'ZADD', head)
end

-- suspend opens a suspension with the interrupts list[first..last], which have all expired
-- at expires; '0': never. reasons are their digests, one after the other, or '-' if nobody is
-- asked, told what notices name of them. It returns what the index knows of it.
local function suspend(t, r, member, text, wants, expires, reasons, told, list, first, last)
  local open = {}
  for i = first, last do open[#open + 1] = digest(list[i]) end
  local head = { stamp(NOW), '', reasons, table.concat(open), names(list, first, last), told, wants and string.format('%.0f', wants) or '', expires }
  reopen(t, r, member, sealed(head, text), head, wants)
  return head
end

-- close takes the suspension up, before another run is the thread's latest, and
-- returns what giveBack needs. by: the run that has the answers; '': none has. became is as
-- a run's. The execution goes on by decided, or ends.
local function close(t, r, member, by, became)
  local text, head = suspension(t)
  local x = getExecution(t)
  x.open = nil
  if mayHave(r, 'd') then redis.call('DEL', t.drafts) end
  loses(r, 'd')
  inbox(t, member, 'ZREM', head)
  if head[2] == '' then head[2] = r.latest end
  local wants = (mayHave(r, 'w') or r.work ~= '') and pastDeadline(t, r, member) or ''
  loses(r, 'w')
  local asked = by ~= '' and getRun(t, head[2])
  if asked then
    asked.continued, asked.became = by, became or ''
    keep(t, lineOf(asked))
  end
  return { stored = sealed(head, text), head = head, wants = wants }
end

-- decided lets the execution of a closed suspension go on. It can be given back
-- as long as its journal ends with the decisions, bookkeeping aside. jlen is the
-- journal's length with them, and behind a space that with the bookkeeping, if
-- there is any. The execution is left to the next putRun.
local function decided(t, r, closed, ids, decisions)
  local x = getExecution(t)
  x.susp, x.given = closed.stored, packed(ids, 1, #ids)
  x.jlen, x.deadline = redis.call('RPUSH', t.journal, decisions), closed.wants
  gets(r, 'j')
  putExecution(t, x)
end

-- decisionsOf are the journal's lengths with the latest decisions, and with the
-- bookkeeping right behind them; nil: there are none.
local function decisionsOf(x)
  local decisions, noted = string.match(x and x.jlen or '', '^(%d+) ?(%d*)$')
  if decisions then return tonumber(decisions), tonumber(noted) or tonumber(decisions) end
end

-- decisionsEnd is the journal's length with the latest decisions, if nothing but
-- bookkeeping stands behind them.
local function decisionsEnd(t, x)
  local decisions, noted = decisionsOf(x)
  if noted == redis.call('LLEN', t.journal) then return decisions end
end

-- progressed reports whether the live execution has recorded anything but
-- bookkeeping since the run was last claimed. A run that no worker has claimed yet
-- counts since the decisions that began it, or since its beginning.
local function progressed(t, d)
  local reached = tonumber(d.reached)
  if not reached then
    local _, noted = decisionsOf(getExecution(t))
    reached = noted or 0
  end
  return redis.call('LLEN', t.journal) > reached
end

-- note journals the bookkeeping list[first..last] of a run, which is no progress.
local function note(t, r, d, list, first, last)
  local x = getExecution(t)
  local decisions, idle = decisionsEnd(t, x), not progressed(t, d)
  piecewise('RPUSH', t.journal, list, first, last)
  gets(r, 'j')
  local length = redis.call('LLEN', t.journal)
  if decisions then
    x.jlen = decisions .. ' ' .. length
    putExecution(t, x)
  end
  if idle then d.reached = length end
  if decisions or idle then putRun(t, d) end
end

-- giveBack opens the suspension again that the execution's latest run answered,
-- unless something was journaled since. It goes over as many entries behind the
-- decisions as over says, if there are just so many; 0: over bookkeeping alone. d
-- is that run, which has ended, and code is why, if that is known. It returns whether
-- it did.
local function giveBack(t, r, member, d, over, code)
  local x = getExecution(t)
  if not x or (x.susp or '') == '' or x.id ~= d.execution then return false end
  local decisions = decisionsEnd(t, x)
  if not decisions and over > 0 then
    decisions = decisionsOf(x)
    if decisions and decisions + over ~= redis.call('LLEN', t.journal) then return false end
  end
  if not decisions then return false end
  for _, id in ipairs(unpacked(x.given)) do redis.call('HDEL', t.runs, 'a:' .. id) end
  if decisions > 1 then redis.call('LTRIM', t.journal, 0, decisions - 2) else emptyJournal(t, r) end
  dropUndo(t)
  local head, given, deadline = unpacked(unpacked(x.susp)[1]), unpacked(x.given), tonumber(x.deadline)
  reopen(t, r, member, x.susp, head, (x.deadline or '') ~= '' and x.deadline)
  changed(t, member, 'interrupt.reopened', head, names(given, 1, #given),
    { run = d.id, label = d.label, how = code, deadline = deadline and string.format('%.0f', deadline - 1) })
  return true
end
