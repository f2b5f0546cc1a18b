-- suspension.lua: open interrupts. It stands after index.lua.
--
-- A suspension rests with its execution as two packed strings, what the index
-- knows of it and its text. The first holds when it opened, the run that asked
-- ('': the thread's latest), digests of its reasons, and of the ids of its
-- interrupts.

local function sealed(head, text)
  return table.concat(pack({}, { table.concat(pack({}, head, 1, 4)), text }, 1, 2))
end

local function suspended(t) return redis.call('HEXISTS', t.exec, 'open') == 1 end

-- suspension returns the open one's text, and what the index knows of it.
local function suspension(t)
  local stored = redis.call('HGET', t.exec, 'open')
  if not stored then return end
  local parts = unpacked(stored)
  return parts[2], unpacked(parts[1])
end

-- reopen leaves the thread waiting for answers. wants is when it wants a claim,
-- the first millisecond after its deadline; false: never.
local function reopen(t, member, stored, wants)
  redis.call('HSET', t.exec, 'open', stored)
  redis.call('HDEL', t.exec, 'susp', 'given', 'jlen', 'deadline')
  redis.call('PERSIST', t.memo)
  if wants then redis.call('ZADD', t.ready, wants, member) end
  inbox(t, 'ZADD', unpacked(unpacked(stored)[1]))
end

-- suspend opens a suspension with the interrupts list[first..last]; reasons are
-- their digests, one after the other.
local function suspend(t, member, text, wants, reasons, list, first, last)
  local open = {}
  for i = first, last do open[#open + 1] = digest(list[i]) end
  reopen(t, member, sealed({ stamp(NOW), '', reasons, table.concat(open) }, text), wants)
end

-- close takes the suspension up, before another run is the thread's latest, and
-- returns what giveBack needs.
local function close(t, member, latest)
  local text, head = suspension(t)
  redis.call('HDEL', t.exec, 'open')
  redis.call('DEL', t.drafts)
  inbox(t, 'ZREM', head)
  if head[2] == '' then head[2] = latest end
  return { stored = sealed(head, text), wants = redis.call('ZSCORE', t.ready, member) or '' }
end

-- decided lets the execution of a closed suspension go on. It can be given back
-- as long as its journal ends with the decisions.
local function decided(t, closed, ids, decisions)
  redis.call('RPUSH', t.journal, decisions)
  redis.call('HSET', t.exec, 'susp', closed.stored, 'given', table.concat(pack({}, ids, 1, #ids)),
    'jlen', redis.call('LLEN', t.journal), 'deadline', closed.wants)
end

-- giveBack opens the suspension again that the execution's latest run answered,
-- unless something was journaled since. It returns whether it did.
local function giveBack(t, member, execution)
  local v = redis.call('HMGET', t.exec, 'susp', 'given', 'jlen', 'deadline')
  if not v[1] or executing(t) ~= execution or tonumber(v[3]) ~= redis.call('LLEN', t.journal) then return false end
  for _, id in ipairs(unpacked(v[2])) do redis.call('HDEL', t.memo, 'a:' .. id) end
  redis.call('RPOP', t.journal)
  reopen(t, member, v[1], v[4] ~= '' and v[4])
  return true
end
