-- run.lua: a run and its dispatch, which share the run's id, on one line of
-- t.runs. It stands after thread.lua.

local LETTER = {
  queued = 'q', active = 'a', ended = 'e', stopped = 's',
  claimed = 'c', acked = 'k', cancelled = 'x', superseded = 'u', dead_letter = 'd',
}
local WORD = {
  q = 'queued', a = 'active', e = 'ended', s = 'stopped',
  c = 'claimed', k = 'acked', x = 'cancelled', u = 'superseded', d = 'dead_letter',
}
local TERMINAL = { acked = true, cancelled = true, superseded = true, dead_letter = true }

-- The line: the status of the run, the state of its dispatch, numbers, and texts,
-- of which those at the end that are empty are left out.
--   n          the run's ordinal in its thread, which names its other fields
--   admitted   the log's end when it was admitted
--   started    the position of its RUN_STARTED, or 0
--   finish, ready, gave   what its last batch, or giving it back, was answered
--   epoch      the dispatch epoch when it was enqueued
--   available  Unix ms before which it waits, or 0
--   created    Unix ms; updated and completed count from there
--   stamp      names the call that was answered: see stampOf
--   request    names the stop that ended it
--   continued  the run that continued this one: a dead letter, or one that was answered
--   reached    while it is active and was taken over: the journal's length at the
--              last claim, and with the bookkeeping since
--   label      the client's runId; agent: whose it is, once it has begun
--   headers    for who carries it; '' when it has ended. Servers that do not know
--              them lose them
--   summary    what it has done, once it has ended by its worker: store.RunSummary
--   failed     '1': its worker ended it by store.EndFail
--   node       that carries it, or carried it last
--   taken      how often a worker continued it in place of another one; '': never
--   terminal   its terminal event
--   stopper    who had it stopped; instead: the run for which
--   became     what became of what it has asked, once it is continued: 'expired' or
--              'cancelled' if nothing was resolved; '': something was
local LINE = '^(%a)(%a) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$'
local NUMBERED = ' %d %d %d %d %d %d %d %d %d %d %d %d %d %d '

-- The live execution is one string, packed: fields of a hash cost more than most
-- of these hold. Beside what names it stand its open suspension and, after a
-- resume, what giving back needs; of a dead letter's the time when it is there no more, Unix ms.
-- Its journal has its entries, and x of t.runs it.
local EXECUTION = { 'id', 'agent', 'began', 'open', 'susp', 'given', 'jlen', 'deadline', 'till' }

-- executionIn reads one; false: there is none.
local function executionIn(stored)
  if not stored or stored == '' then return false end
  local x = {}
  for i, text in ipairs(unpacked(stored)) do x[EXECUTION[i]] = text end
  if (x.till or '') ~= '' and tonumber(x.till) <= NOW then return false end
  return x
end

-- lookAhead reads a run's line, for the next getRun, the live execution, and other fields of
-- t.runs. It returns what these hold.
local function lookAhead(t, id, ...)
  local v = redis.call('HMGET', t.runs, 'm:' .. id, 'x', ...)
  t.ahead, t.execution = { [id] = v[1] }, executionIn(v[2])
  return { unpack(v, 3) }
end

-- linesAhead reads the lines of runs ids[first..], for the next getRun of each.
local function linesAhead(t, ids, first)
  local wanted, fields = {}, {}
  for i = first, #ids do
    if not (t.many and t.many.runs[ids[i]]) then wanted[#wanted + 1], fields[#fields + 1] = ids[i], 'm:' .. ids[i] end
  end
  t.ahead = t.ahead or {}
  for i = 1, #wanted, 500 do
    for j, line in ipairs(redis.call('HMGET', t.runs, unpack(fields, i, math.min(i + 499, #fields)))) do
      t.ahead[wanted[i + j - 1]] = line
    end
  end
end

-- getRun reads a run; nil: there is none. To add 0 makes a number of digits in half the time that
-- tonumber takes.
local function getRun(t, id)
  if t.many and t.many.runs[id] then return t.many.runs[id] end
  local line
  if t.ahead then line, t.ahead[id] = t.ahead[id], nil end
  if line == nil then line = redis.call('HGET', t.runs, 'm:' .. id) end
  if not line then return end
  local status, state, n, admitted, started, finish, ready, gave, epoch, priority, max, attempts, available,
    created, updated, completed, rest = string.match(line, LINE)
  local texts = unpacked(rest)
  return {
    id = id, status = WORD[status], state = WORD[state],
    n = n + 0, admitted = admitted + 0, started = started + 0, finish = finish + 0, ready = ready + 0, gave = gave + 0,
    epoch = epoch + 0, priority = priority + 0, max = max + 0, attempts = attempts + 0, available = available + 0,
    created = created + 0, updated = updated + 0, completed = completed + 0,
    execution = texts[1] or '', stamp = texts[2] or '', dedupe = texts[3] or '',
    request = texts[4] or '', error = texts[5] or '', continued = texts[6] or '', reached = texts[7] or '',
    label = texts[8] or '', agent = texts[9] or '', headers = texts[10] or '', summary = texts[11] or '',
    failed = texts[12] or '', node = texts[13] or '', taken = texts[14] or '', terminal = texts[15] or '',
    stopper = texts[16] or '', instead = texts[17] or '', became = texts[18] or '',
  }
end

-- lineOf is the field of t.runs that has a run's line, and the line.
local function lineOf(d)
  local texts, last = { d.execution, d.stamp, d.dedupe, d.request, d.error, d.continued, d.reached, d.label, d.agent, d.headers,
    d.summary, d.failed, d.node, d.taken, d.terminal, d.stopper, d.instead, d.became }, 18
  while texts[last] == '' do last = last - 1 end
  return 'm:' .. d.id, LETTER[d.status] .. LETTER[d.state] .. string.format(NUMBERED,
    d.n, d.admitted, d.started, d.finish, d.ready, d.gave, d.epoch, d.priority, d.max, d.attempts, d.available,
    d.created, d.updated, d.completed) .. packed(texts, 1, last)
end

-- keep leaves fields of t.runs, and what they hold, to the next putRun.
local function keep(t, ...)
  local kept = t.kept or { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
  for i = 1, select('#', ...) do kept[#kept + 1] = (select(i, ...)) end
  t.kept = kept
end

-- putKept stores what was left to it.
local function putKept(t)
  if t.kept then piecewise('HSET', t.runs, t.kept, 1, #t.kept) end
  t.kept = nil
end

-- putRun stores a run's line, and with it what was left to it, and other fields of t.runs; within
-- together it leaves that to the end.
local function putRun(t, d, ...)
  keep(t, ...)
  if t.many then
    t.many.runs[d.id] = d
    return
  end
  keep(t, lineOf(d))
  putKept(t)
end

-- runIDs lists the runs that the thread has kept, in no order.
local function runIDs(t)
  local ids = {}
  for _, field in ipairs(redis.call('HKEYS', t.runs)) do
    if string.sub(field, 1, 2) == 'm:' then ids[#ids + 1] = string.sub(field, 3) end
  end
  return ids
end

-- COUNTED are the states of which there are numbers. How many are claimed is what is left of all, so
-- that what begins and what ends at once takes one command.
local COUNTED = { 'queued', 'acked', 'cancelled', 'superseded', 'dead_letter' }

-- count keeps the numbers of the tenant's dispatches in the partition, all and in each state:
-- more by so many. Of a tenant without any none is left.
local function count(t, more)
  if t.many then
    for state, by in pairs(more) do t.many.count[state] = (t.many.count[state] or 0) + by end
    return
  end
  local all, own = 0, ':' .. tenant(t)
  local function add(name, by)
    local n = redis.pcall('HINCRBY', t.counts, name .. own, string.format('%d', by))
    if type(n) == 'table' then -- of another type: no thread is to be kept for the sake of numbers
      if type(redis.pcall('HDEL', t.counts, name .. own)) == 'table' then redis.call('DEL', t.counts) end
      n = redis.call('HINCRBY', t.counts, name .. own, string.format('%d', by))
    end
    if n < 0 or n == 0 and name == 'all' then redis.call('HDEL', t.counts, name .. own) end
    return n
  end
  for _, by in pairs(more) do all = all + by end
  if all ~= 0 and add('all', all) <= 0 then
    for _, state in ipairs(COUNTED) do redis.call('HDEL', t.counts, state .. own) end
    return
  end
  for _, state in ipairs(COUNTED) do
    if (more[state] or 0) ~= 0 then add(state, more[state]) end
  end
end

-- A thread with more than FEW runs has its terminal dispatches in order, each
-- state's by when they became terminal: which they are, and how many, is known
-- without reading them.
local FEW = 8

local function pastMember(d)
  return LETTER[d.state] .. string.format('%014.0f%010.0f', d.created + d.completed, d.n) .. d.id
end

-- ordered reports whether the thread's terminal dispatches are in order, and with
-- begins puts them in order when it has come to have many runs. A first member
-- that is none tells that it was done. made: how many runs it has had.
local function ordered(t, begins, made)
  if made and made <= FEW then return false end
  if t.ordered == nil then t.ordered = redis.call('EXISTS', t.past) == 1 end
  if t.ordered then return true end
  if not begins or redis.call('HLEN', t.runs) <= 3 * FEW then return false end
  redis.call('ZADD', t.past, 0, '-')
  for _, id in ipairs(runIDs(t)) do
    local d = getRun(t, id)
    if TERMINAL[d.state] then redis.call('ZADD', t.past, 0, pastMember(d)) end
  end
  t.ordered = true
  return true
end

-- newRun makes the next run of the thread.
local function newRun(t, r, id, status, state)
  ordered(t, true, r.n)
  r.n = r.n + 1
  count(t, { [state] = 1 })
  return {
    id = id, status = status, state = state, n = r.n, admitted = r.seq, started = 0, finish = 0, ready = 0, gave = 0,
    epoch = r.depoch, priority = 0, max = 0, attempts = 0, available = 0, created = NOW, updated = 0, completed = 0,
    execution = '', stamp = '', dedupe = '', request = '', error = '', continued = '', reached = '',
    label = '', agent = '', headers = '', summary = '', failed = '', node = '', taken = '', terminal = '',
    stopper = '', instead = '', became = '',
  }
end

-- together carries out a change of many dispatches with few commands: what it stores of t.runs,
-- counts and forgets goes together at its end. Within another it is part of that.
local function together(t, change)
  if t.many then return change() end
  t.many = { runs = {}, count = {}, past = {}, gone = {} }
  change()
  local many = t.many
  t.many = nil
  for _, d in pairs(many.runs) do keep(t, lineOf(d)) end
  if next(many.runs) then putKept(t) end
  count(t, many.count)
  piecewise('ZADD', t.past, many.past, 1, #many.past)
  piecewise('HDEL', t.disp, many.gone, 1, #many.gone)
end

-- strike deletes fields of t.disp.
local function strike(t, ...)
  if not t.many then return redis.call('HDEL', t.disp, ...) end
  for i = 1, select('#', ...) do t.many.gone[#t.many.gone + 1] = (select(i, ...)) end
end

-- move gives a dispatch its next state. A terminal one lets go of its dedupe
-- key, if it is still its own. made: as for ordered.
local function move(t, d, state, made)
  if state ~= d.state then
    local change = { [d.state] = -1, [state] = 1 }
    change.dead_letter = nil
    count(t, change)
  end
  d.state, d.updated = state, math.max(NOW - d.created, 0)
  if TERMINAL[state] then
    d.completed, d.reached = d.updated, ''
    if state ~= 'dead_letter' then d.headers = '' end
    if ordered(t, false, made) then
      local past = t.many and t.many.past or {}
      past[#past + 1], past[#past + 2] = 0, pastMember(d)
      if not t.many then redis.call('ZADD', t.past, unpack(past)) end
    end
    if d.dedupe ~= '' and redis.call('HGET', t.disp, 'd:' .. d.dedupe) == d.id then
      redis.call('HDEL', t.disp, 'd:' .. d.dedupe)
    end
  end
end

-- LABELLED is how many runs of one label are found by it.
local LABELLED = 32

-- labelling is the field of t.runs that has the runs of a label, a new one among them, and
-- what it holds; was is what it held. Of more than can be found those go that ended, then those that wait, each
-- the oldest first.
local function labelling(t, name, id, was)
  local ids, going = {}, {}
  for _, of in ipairs(unpacked(was or '')) do
    local line = redis.call('HGET', t.runs, 'm:' .. of)
    if line then
      ids[#ids + 1] = of
      going[of] = string.sub(line, 1, 1)
    end
  end
  for _, status in ipairs({ '[es]', 'q' }) do
    local i = 1
    while #ids >= LABELLED and i <= #ids do
      if string.find(going[ids[i]], status) then table.remove(ids, i) else i = i + 1 end
    end
  end
  ids[#ids + 1] = id
  return 'l:' .. name, packed(ids, 1, #ids)
end

local function record(t, d) return redis.call('HGET', t.runs, 'r' .. d.n) end


-- besides are a run's record, and its execution's latest run. Only an
-- execution that was continued says which one that is.
local function besides(t, d)
  local v = redis.call('HMGET', t.runs, 'r' .. d.n, 'e:' .. d.execution)
  return v[1], v[2] or d.id
end

-- A script reads it once: who changes it puts it.
local function getExecution(t)
  if t.execution == nil then t.execution = executionIn(redis.call('HGET', t.runs, 'x')) end
  return t.execution or nil
end

-- putExecution leaves it to the next putRun.
local function putExecution(t, x)
  t.execution = x
  local texts, last = {}, 3
  for i, name in ipairs(EXECUTION) do
    texts[i] = x[name] or ''
    if texts[i] ~= '' then last = math.max(last, i) end
  end
  keep(t, 'x', packed(texts, 1, last))
end

-- emptyJournal drops the entries of the live execution.
local function emptyJournal(t, r)
  if mayHave(r, 'j') then redis.call('DEL', t.journal) end
  loses(r, 'j')
end

-- dropExecution ends the live execution, if there is one.
local function dropExecution(t, r)
  t.execution = false
  redis.call('HDEL', t.runs, 'x', 'f')
  emptyJournal(t, r)
end

-- execute begins an execution, and leaves it to the next putRun.
local function execute(t, r, id, agent, frozen)
  emptyJournal(t, r)
  putExecution(t, { id = id, agent = agent, began = tostring(NOW) })
  keep(t, 'f', frozen)
end

-- rests lets the execution of a dead letter be there for so many ms more, and leaves that to the
-- next putRun.
local function rests(t, ms)
  local x = getExecution(t)
  if not x then return end
  x.till = string.format('%.0f', NOW + ms)
  putExecution(t, x)
  redis.call('PEXPIRE', t.journal, ms)
end

-- stays undoes that.
local function stays(t)
  local x = getExecution(t)
  x.till = nil
  putExecution(t, x)
  redis.call('PERSIST', t.journal)
end

-- entriesOf are the journal's first entries, a piece of about 512 or 512 KiB, and how many it has.
local function entriesOf(t, r)
  local list, bytes = {}, 0
  if not mayHave(r, 'j') then return list, 0 end
  while #list < 512 and bytes < 524288 do
    local page = redis.call('LRANGE', t.journal, #list, #list + 31)
    for _, e in ipairs(page) do list[#list + 1], bytes = e, bytes + #e end
    if #page < 32 then return list, #list end
  end
  return list, redis.call('LLEN', t.journal)
end

-- What is frozen has beside it, packed, what undoes a snapshot that was moved in the midst
-- of a run, until the execution asks.
local function frozenOf(t)
  if not getExecution(t) then return false, false end
  if t.frozen == nil then t.frozen = redis.call('HGET', t.runs, 'f') end
  if not t.frozen or not string.find(t.frozen, '^%d') then return t.frozen, false end
  local both = unpacked(t.frozen)
  return both[1], both[2]
end

-- keepUndo leaves it to the next putKept.
local function keepUndo(t, undo)
  keep(t, 'f', packed({ frozenOf(t) or '', undo }, 1, 2))
end

-- dropUndo leaves it to the next putRun.
local function dropUndo(t)
  local frozen, undo = frozenOf(t)
  if undo then keep(t, 'f', frozen) end
end

-- executing returns the live execution's id, agent, and the time at which it
-- began; nil: there is none.
local function executing(t)
  local x = getExecution(t)
  if x then return x.id, x.agent, x.began end
end

-- carried is what the holder of the claim of run d is told of the live execution, as
-- journal.lua returns it; known: without what is frozen and the journal.
local function carried(t, r, d, known)
  local id, agent, began = executing(t)
  local frozen, undo, entries, all = false, false, {}, 0
  if not known then frozen, undo = frozenOf(t) end
  if id and not known then entries, all = entriesOf(t, r) end
  return { id or '', agent or '', frozen, began or 0, entries, all, d.started, math.max(r.attempts - 1, 0), activeFor(r), undo }
end

-- agentOf names the agent of a run that waits or is active; false: the record is damaged.
local function agentOf(t, d)
  if d.started == 0 then return redis.call('HGET', t.disp, 'g:' .. d.id) end
  local _, agent = executing(t)
  return agent or ''
end

-- stampOf names a call of a claim's holder, so that it is recognised when it is
-- sent again.
local function stampOf(token, call)
  return string.sub(redis.sha1hex(packed({ token, call }, 1, 2)), 1, 16)
end

-- quiet reports whether a suspension asks nobody: its reasons are '-' then.
local function quiet(head) return head[3] == '-' end

-- waits reports whether the thread waits for answers to what a run has asked.
local function waits(t, r, d)
  if d.state ~= 'acked' then return false end
  if t.waiting == nil then
    local x = getExecution(t)
    local open = x and x.open or ''
    local head = open ~= '' and unpacked(unpacked(open)[1])
    t.waiting = head and (head[2] ~= '' and head[2] or r.latest)
  end
  return t.waiting == d.id
end

-- describe is what is known of a dispatch: {run, state, epoch, priority, dedupe,
-- available, attempts, max, error, node, lease, started, terminal event, continued
-- by, created, updated, completed, record, input, summary, takeovers, waits, became,
-- stopper, instead}; times are Unix ms, 0 none. kept nil: its record and input are to be read.
local function describe(t, r, d, kept, input)
  if kept == nil then kept, input = record(t, d), redis.call('HGET', t.disp, 'i:' .. d.id) end
  local held, asks = r.run == d.id and r.token ~= '', waits(t, r, d)
  return { d.id, d.state, d.epoch, d.priority, d.dedupe, d.available,
    r.run == d.id and r.attempts or d.attempts, d.max, d.error, d.node, held and r.lease or 0,
    d.started > 0 and 1 or 0, d.terminal ~= '' and d.terminal, asks and '' or d.continued, d.created, d.created + d.updated,
    TERMINAL[d.state] and d.created + d.completed or 0, kept, input, d.summary ~= '' and d.summary,
    tonumber(d.taken) or 0, asks and 1 or 0, asks and '' or d.became, d.stopper, d.instead }
end
