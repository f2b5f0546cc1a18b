-- notice.lua: facts for the partition's Notice Stream. It stands after run.lua in the
-- scripts that make them true.

-- NAMED is how many ids, or reasons, a notice names at most.
local NAMED = 100

-- names packs those that a notice has of list[first..last].
local function names(list, first, last)
  return packed(list, first, math.min(last, first + NAMED - 1))
end

local FACTS = { 'agent', 'run', 'label', 'interrupts', 'reasons', 'summaries', 'deadline', 'by', 'how' }

-- An entry of the stream tells what one script has made true: what all of its notices share, and
-- then each, which begins with its kind. FULL is how many words there are in one that gets no more.
local FULL = 500

-- notice leaves a fact of a thread to the next announce.
local function notice(t, member, kind, f)
  if t.told and #t.told > FULL then announce(t) end
  local told = t.told
  local function put(name, value)
    local n = #told
    if value and value ~= '' then told[n + 1], told[n + 2] = name, value end
  end
  if not told then
    told = { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
    t.told = told
    local namespace, thread = namesIn(member)
    put('namespace', namespace)
    put('thread', thread)
    put('tenant', tenant(t))
    put('owner', t.user)
    if ARG.now ~= '0' then put('at', string.format('%.0f', NOW)) end -- else the entry's id says it
  end
  told[#told + 1], told[#told + 2] = 'kind', kind
  for i = 1, #FACTS do put(FACTS[i], f[FACTS[i]]) end
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
