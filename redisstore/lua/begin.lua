-- begin.lua: admit one run that was judged on a version of the thread.
--
-- KEYS  all of the thread's, and decisions
-- ARGS
--   member
--   version    of the view that was judged
--   deadline   Unix ms; 0: none
--   keep       ms for which what was archived is kept
--   follow     ms for which the node follows
--   sender     1: for no more than this run
--   lease      ms
--   look       ms after which to look for what is past its retention
--   tenant
--   user       whose input it is; '': not known
--   owner      what names the user in keys; '': none
--   title      '': the one that is there stays, as does one that was given (title.lua)
--   run        id
--   label
--   execution
--   record
--   headers    '': none, or the letter's
--   priority
--   max        attempts
--   dedupe     '': none
--   kind       'enqueue', 'execute', 'resume', 'steer' or 'requeue'; what only some
--              of them take is '' or 0 for the others
--   input      enqueue
--   opens      enqueue: RUN_STARTED, should it be cancelled
--   cancels    enqueue: RUN_FINISHED cancelled
--   available  enqueue: Unix ms; 0: at once
--   joins      enqueue: 1 if it waits to join the active run
--   token      all others
--   agent      enqueue, execute, steer
--   frozen     execute, steer
--   letter     requeue: the dead letter that goes on; execute: that begins again, or ''
--   decisions  resume: the journal's entry
--   known      resume: 1 if the caller knows what is frozen, and the journal before that entry
--   answers    resume, steer: how many
--   archived   execute, steer: how many messages
--   pieces     execute, steer: in how many pieces others were archived
--   about      execute, steer: what is said of them as a branch; '': they are none
--   branch     of a branch: its messages; '': they are not kept
--   restores   execute, steer: the branch that is restored; '': none
--   decided    resume, steer: how many decisions are recorded
--   events     to log, how many
-- EACH
--   interrupt  of a decision: its id
--   status
--   by         the user
--   tool
--   body
-- REST  the answers, id and answer; the messages, id and message; the decisions; elements of the
--   log with the events, whose positions begin at 1
--
-- Returns {verdict, start, epoch, claimed, dispatch epoch, ready, holder, or the headers
--   of the letter, the execution}:
--   verdict 0 accepted, 1 stale, 2 expired, 3 the dedupe key is the holder's, 4
--   the dead letter is gone, 5 a run is active, 6 an interrupt is open and is not
--   answered, 7 no interrupt is open, 8 the suspended execution is another, 9 the thread is
--   being deleted.
--   claimed: the run is active under the token. ready: {1 if there is one to
--   claim, logged before, events}; of a call sent again, without events. The execution:
--   of resume and requeue, if it is claimed, as journal.lua has it, without what is known, unless the call was sent again.

local t, member = keysOf(KEYS), ARG.member
local run, kind, token = ARG.run, ARG.kind, ARG.token
local about = { open(t.rec, 'tenant', 'user', 'going', unpack(TOUCHED)) }
local r = table.remove(about, 1)
t.tenant, t.user = table.remove(about, 1) or '', table.remove(about, 1) or ''
local going = table.remove(about, 1)

-- answered tells of decisions: what has become of interrupts in the same way, by the same
-- user, is one notice.
local function answered(d, head, list)
  local order, groups = {}, {}
  for _, one in ipairs(list) do
    local name = one.status .. one.by
    if not groups[name] then
      groups[name] = { ids = {} }
      order[#order + 1] = one
    end
    table.insert(groups[name].ids, one.interrupt)
  end
  for _, one in ipairs(order) do
    local fact, how, ids = 'interrupt.decided', one.status, groups[one.status .. one.by].ids
    if one.status == 'expired' then
      fact, how = 'interrupt.expired', ''
    elseif kind == 'steer' then
      fact, how = 'interrupt.cancelled', ''
    end
    changed(t, member, fact, head, names(ids, 1, #ids), { run = d.id, label = d.label, by = one.by, how = how })
  end
end

-- becameOf says what became of interrupts together, as a run's became. One that expires ends
-- those beside it.
local function becameOf(list)
  local all = #list > 0 and 'cancelled' or ''
  for _, one in ipairs(list) do
    if one.status == 'resolved' then return '' end
    if one.status == 'expired' then all = 'expired' end
  end
  return all
end

local function refused(verdict, holder) return { verdict, r.seq, r.epoch, 0, 0, {}, holder or '' } end

local function executionOf(d, known) return (kind == 'resume' or kind == 'requeue') and carried(t, r, d, known) or {} end

local archived = REST + 2 * tonumber(ARG.answers)
local told = archived + 2 * tonumber(ARG.archived)
local first = told + WIDTH * tonumber(ARG.decided)
local made = decisionsIn(told, first - 1)

-- A thread without a version has had no run. Of one that goes on, known is what t.runs holds.
local unused, again, known, runs = r.ver == 0, nil, {}, nil
if unused then
  t.execution = false
else
  local wanted, frozen = refusals(made), (kind == 'resume' or kind == 'requeue') and ARG.known ~= '1'
  wanted[#wanted + 1] = 'l:' .. ARG.label
  if frozen then wanted[#wanted + 1] = 'f' end
  wanted[#wanted + 1] = 'm:' .. r.latest
  known = lookAhead(t, run, unpack(wanted))
  t.ahead[r.latest] = table.remove(known)
  if frozen then t.frozen = table.remove(known) end
  runs = table.remove(known)
  again = getRun(t, run)
end
if again then
  local claimed = kind ~= 'enqueue' and holds(r, run, token, r.depoch) and 1 or 0
  local ready = again.status == 'queued' and r.run == '' and not suspended(t) and (pastDeadline(t, r, member) or NOW + 1) <= NOW
  return { 0, again.admitted, r.epoch, claimed, r.depoch, { ready and 1 or 0, r.seq, {} },
    ARG.letter ~= '' and again.headers or '', claimed == 1 and executionOf(again) or {} }
end
if going then return refused(9) end
local dedupe = ARG.dedupe
local holder = dedupe ~= '' and redis.call('HGET', t.disp, 'd:' .. dedupe)
if holder then
  local d = getRun(t, holder)
  if d and not TERMINAL[d.state] then return refused(3, holder) end
end
if r.ver ~= tonumber(ARG.version) then return refused(1) end
local archiver = archiverOf(run, ARG.version)
if ARG.pieces ~= '0' and redis.call('HGET', t.archive, BRINGS) ~= archiver .. ' ' .. ARG.pieces then return refused(1) end
local deadline = tonumber(ARG.deadline)
if deadline > 0 and NOW > deadline then return refused(2) end

local waits, resumes = suspended(t), kind == 'resume' or kind == 'steer'
if kind ~= 'enqueue' then
  if r.run ~= '' then return refused(5) end
  if waits and not resumes then return refused(6) end
  if resumes and not waits then return refused(7) end
  if kind == 'resume' and executing(t) ~= ARG.execution then return refused(8) end
end
local letter
if ARG.letter ~= '' then
  letter = getRun(t, ARG.letter)
  if not letter or letter.state ~= 'dead_letter' or letter.continued ~= '' then return refused(4) end
  if kind == 'requeue' and (letter.execution ~= ARG.execution or executing(t) ~= ARG.execution) then return refused(4) end
end

local listing = #made > 0 and recordDecisions(t, member, run, made, known) or {}

follow(r, tonumber(ARG.follow), ARG.sender == '1' and 'sender' or nil)
local touched = { touch(t, r, member, about, ARG.tenant, ARG.user, ARG.owner, ARG.title, tonumber(ARG.look), listing) }
local start = r.seq
local d = newRun(t, r, run, kind == 'enqueue' and 'queued' or 'active', kind == 'enqueue' and 'queued' or 'claimed')
d.priority, d.max, d.dedupe, d.execution = tonumber(ARG.priority), tonumber(ARG.max), dedupe, ARG.execution
d.label, d.agent, d.headers = ARG.label, ARG.agent, ARG.headers
keep(t, labelling(t, ARG.label, run, runs))
for i = REST, archived - 1, 2 do
  keep(t, 'a:' .. ARGV[i], ARGV[i + 1])
  gets(r, 'a')
end
if dedupe ~= '' then redis.call('HSET', t.disp, 'd:' .. dedupe, run) end

if kind == 'enqueue' then
  d.available = tonumber(ARG.available)
  putRun(t, d, 'r' .. d.n, ARG.record)
  redis.call('HSET', t.disp, 'i:' .. run, ARG.input, '1:' .. run, ARG.opens, '2:' .. run, ARG.cancels,
    'g:' .. run, ARG.agent)
  enqueue(t, r, d, rank(d))
  local ready = 0
  if r.run == '' and not waits and release(t, r, member) then
    nudge(t, r, member)
    ready = 1
  end
  local extra = r.extra or {}
  publish(r.nodes, member, r.epoch, extra, 1, #extra, start + 1)
  if ARG.joins == '1' then touched[#touched + 1], touched[#touched + 2] = 'join', run end
  decide(t, r, unpack(touched))
  return { 0, start, r.epoch, 0, 0, { ready, start, extra }, '' }
end

piecewise('HSET', t.archive, ARGV, archived, told - 1)
if ARG.about ~= '' or ARG.restores ~= '' then branch(t, run, ARG.about, ARG.branch, ARG.restores) end
if ARG.pieces ~= '0' then redis.call('HSET', t.archive, BEGUN .. archiver, 1) end
if told > archived or ARG.pieces ~= '0' then
  redis.call('HSET', t.archive, BEGUN, digits(r.ver + 1))
  redis.call('PEXPIRE', t.archive, ARG.keep)
end
local listed = about[1]
if resumes then
  local given, closed = {}, close(t, r, member, kind == 'resume' and run or '', becameOf(made))
  for i = REST, archived - 1, 2 do given[#given + 1] = ARGV[i] end
  listed = closed.wants ~= ''
  if kind == 'resume' then decided(t, r, closed, given, ARG.decisions) end
  answered(d, closed.head, made)
end
if letter then
  unbury(t, letter)
  d.headers, letter.headers = letter.headers, ''
  letter.continued, letter.updated = run, math.max(NOW - letter.created, 0)
  putRun(t, letter)
  redis.call('HDEL', t.disp, 'i:' .. letter.id)
end
keep(t, 'r' .. d.n, ARG.record)
if kind == 'resume' or kind == 'requeue' then
  if letter then stays(t) end
  keep(t, 'e:' .. ARG.execution, run)
else
  execute(t, r, ARG.execution, ARG.agent, ARG.frozen)
end

local x = getExecution(t)
d.agent = x.agent or ''
notice(t, member, 'run.started', { run = run, label = d.label, agent = d.agent, by = ARG.user })
local events = {}
for i = first, #ARGV do
  local at = string.match(ARGV[i], '^%d+')
  events[#events + 1] = digits(r.seq + at) .. string.sub(ARGV[i], #at + 1)
end
append(r, t.log, t.big, events, 1, #events, tonumber(ARG.events))
publish(r.nodes, member, r.epoch, events, 1, #events)

r.run, r.token, r.node, r.cn, r.attempts, r.kind = run, token, NODE, 1, 1, 'b'
r.lease, r.latest = NOW + tonumber(ARG.lease), run
r.since = NOW
d.started, d.node = start + 1, NODE
if kind == 'requeue' then d.reached = redis.call('LLEN', t.journal) end
putRun(t, d)
redis.call('ZADD', t.leases, digits(r.lease), member)
if listed then withdraw(t, r, member) end
decide(t, r, unpack(touched))
return { 0, start, r.epoch, 1, r.depoch, {}, letter and d.headers or '', executionOf(d, ARG.known == '1') }
