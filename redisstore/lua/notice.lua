-- notice.lua: facts for the partition's Notice Stream. It stands after run.lua in the
-- scripts that make them true.

-- NAMED is how many ids, or reasons, a notice names at most.
local NAMED = 100

-- names packs those that a notice has of list[first..last].
local function names(list, first, last)
  return table.concat(pack({}, list, first, math.min(last, first + NAMED - 1)))
end

local FACTS = { 'namespace', 'thread', 'tenant', 'owner', 'agent', 'run', 'label', 'interrupts', 'reasons', 'summaries', 'deadline', 'by', 'how', 'at' }

-- notice tells a fact of a thread. One that cannot be told keeps nothing else from
-- happening.
local function notice(t, member, kind, f)
  f.namespace, f.thread = namesIn(member)
  f.tenant = tenant(t)
  f.owner = t.user
  if ARG.now ~= '0' then f.at = string.format('%.0f', NOW) end -- else its id says it
  local fields, n = { 'kind', kind }, 2
  for i = 1, #FACTS do
    local name = FACTS[i]
    local value = f[name]
    if value and value ~= '' then fields[n + 1], fields[n + 2], n = name, value, n + 2 end
  end
  redis.pcall('XADD', t.notices, 'MAXLEN', '~', ARG.notices, '*', unpack(fields, 1, n))
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
