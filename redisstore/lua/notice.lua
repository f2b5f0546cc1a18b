-- notice.lua: facts for the partition's Notice Stream. It stands after run.lua in the
-- scripts that make them true.

-- NAMED is how many ids, or reasons, a notice names at most.
local NAMED = 100

-- names packs those that a notice has of list[first..last].
local function names(list, first, last)
  return table.concat(pack({}, list, first, math.min(last, first + NAMED - 1)))
end

local FACTS = { 'tenant', 'owner', 'agent', 'run', 'label', 'interrupts', 'reasons', 'summaries', 'deadline', 'by', 'how', 'at' }

-- notice tells a fact of a thread. One that cannot be told keeps nothing else from
-- happening.
local function notice(t, member, kind, f)
  local colon = string.find(member, ':', 1, true)
  local behind = colon + tonumber(string.sub(member, 1, colon - 1))
  local fields = { 'kind', kind, 'namespace', string.sub(member, colon + 1, behind), 'thread', string.sub(member, behind + 1) }
  f.tenant = tenant(t)
  f.owner = t.user
  if ARG.now ~= '0' then f.at = string.format('%.0f', NOW) end -- else its id says it
  for _, name in ipairs(FACTS) do
    if (f[name] or '') ~= '' then
      fields[#fields + 1] = name
      fields[#fields + 1] = f[name]
    end
  end
  redis.pcall('XADD', t.notices, 'MAXLEN', '~', ARG.notices, '*', unpack(fields))
end

-- over tells that a run has ended.
local function over(t, member, d, how)
  notice(t, member, 'run.ended', { run = d.id, label = d.label, agent = d.agent, how = how })
end

-- changed tells what became of open interrupts that are packed; head is as
-- suspension.lua has it.
local function changed(t, member, kind, head, interrupts, f)
  if quiet(head) then return end
  local x = getExecution(t)
  f.agent, f.interrupts, f.reasons = x and x.agent, interrupts, head[6]
  notice(t, member, kind, f)
end
