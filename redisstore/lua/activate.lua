-- activate.lua: make a dispatch that was claimed from the queue the active run.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   run
--   token
--   depoch     the dispatch epoch
--   execution
--   frozen
--   agent
--   user     whose input it is; '': not known
--   events     how many
-- REST  elements of the log with them, whose positions begin at 1
--
-- Returns {verdict (as fence, PAUSED and JOINS), epoch, end of the log}.

local t, member, run = keysOf(KEYS), ARG.member, ARG.run
local r, joins = open(t.rec, 'join')
local flags = (r.pause == '1' and PAUSED or 0) + (joins and JOINS or 0)
local verdict = fence(r, run, ARG.token, tonumber(ARG.depoch), 1, r.seq)
if verdict == STORED then
  -- The first batch of a claim that was not taken from the queue activates nothing.
  return { r.kind == 'q' and OK + flags or MISMATCH, r.epoch, r.seq }
end
if verdict ~= OK then return { verdict, r.epoch, r.seq } end
local d = getRun(t, run)
if d.status ~= 'active' or d.started > 0 then return { MISMATCH, r.epoch, r.seq } end

local start = r.seq
local events = {}
for i = REST, #ARGV do
  local at = string.match(ARGV[i], '^%d+')
  events[#events + 1] = digits(r.seq + at) .. string.sub(ARGV[i], #at + 1)
end
append(r, t.log, t.big, events, 1, #events, tonumber(ARG.events))
publish(r.nodes, member, r.epoch, events, 1, #events)
execute(t, r, ARG.execution, ARG.agent, ARG.frozen)
forget(t, d)
d.started, d.execution, d.agent = start + 1, ARG.execution, ARG.agent
putRun(t, d)
notice(t, member, 'run.started', { run = run, label = d.label, agent = d.agent, by = ARG.user })
r.cn, r.latest = 1, run
decide(t, r)
return { OK + flags, r.epoch, r.seq }
