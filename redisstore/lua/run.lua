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
--   stopper    who had it stopped; instead: the run for which
--   became     what became of what it has asked, once it is continued: 'expired' or
--              'cancelled' if nothing was resolved; '': something was
local LINE = '^(%a)(%a)' .. string.rep(' (%d+)', 14) .. ' (.*)$'
local NUMBERED = string.rep(' %d', 14) .. ' '

-- lookAhead reads the lines of two runs at once, for the next getRun of each.
local function lookAhead(t, a, b)
  local lines = redis.call('HMGET', t.runs, 'm:' .. a, 'm:' .. b)
  t.ahead = { [a] = lines[1], [b] = lines[2] }
end

-- getRun reads a run; nil: there is none. To add 0 makes a number of digits in half the time that
-- tonumber takes.
local function getRun(t, id)
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
    failed = texts[12] or '', node = texts[13] or '', taken = texts[14] or '',
    stopper = texts[15] or '', instead = texts[16] or '', became = texts[17] or '',
  }
end

-- lineOf is the field of t.runs that has a run's line, and the line.
local function lineOf(d)
  local texts, last = { d.execution, d.stamp, d.dedupe, d.request, d.error, d.continued, d.reached, d.label, d.agent, d.headers,
    d.summary, d.failed, d.node, d.taken, d.stopper, d.instead, d.became }, 17
  while texts[last] == '' do last = last - 1 end
  return 'm:' .. d.id, LETTER[d.status] .. LETTER[d.state] .. string.format(NUMBERED,
    d.n, d.admitted, d.started, d.finish, d.ready, d.gave, d.epoch, d.priority, d.max, d.attempts, d.available,
    d.created, d.updated, d.completed) .. table.concat(pack({}, texts, 1, last))
end

-- putRun stores a run's line, and with it fields of t.runs and what they hold.
local function putRun(t, d, ...)
  local field, line = lineOf(d)
  redis.call('HSET', t.runs, field, line, ...)
end

-- runIDs lists the runs that the thread has kept, in no order.
local function runIDs(t)
  local ids = {}
  for _, field in ipairs(redis.call('HKEYS', t.runs)) do
    if string.sub(field, 1, 2) == 'm:' then ids[#ids + 1] = string.sub(field, 3) end
  end
  return ids
end

local STATES = { 'queued', 'claimed', 'acked', 'cancelled', 'superseded', 'dead_letter' }

-- count keeps the numbers of the partition's dispatches in each state, and of its
-- tenant's: more by so many. What takes away alone strikes out every field of them that has
-- come to nothing.
local function count(t, more)
  local fields, by, n, adds, own = {}, {}, 0, false, ':' .. tenant(t)
  for _, by in pairs(more) do adds = adds or by > 0 end
  for _, state in ipairs(next(more) and STATES or {}) do
    local of = more[state] or 0
    if of ~= 0 or not adds then
      fields[n + 1], fields[n + 2] = state, state .. own
      by[n + 1], by[n + 2], n = of, of, n + 2
    end
  end
  if n == 0 then return end
  local had = redis.pcall('HMGET', t.counts, unpack(fields, 1, n))
  if had.err then -- of another type: no thread is to be kept for the sake of numbers
    redis.call('DEL', t.counts)
    had = redis.call('HMGET', t.counts, unpack(fields, 1, n))
  end
  local set, gone, s, g = {}, {}, 0, 0
  for i = 1, n do
    local sum = math.max((tonumber(had[i]) or 0) + by[i], 0)
    if sum ~= 0 and by[i] == 0 then
      -- It stays as it is.
    elseif sum ~= 0 or adds then
      set[s + 1], set[s + 2], s = fields[i], string.format('%d', sum), s + 2
    elseif had[i] then
      gone[g + 1], g = fields[i], g + 1
    end
  end
  if s > 0 then redis.call('HSET', t.counts, unpack(set, 1, s)) end
  if g > 0 then redis.call('HDEL', t.counts, unpack(gone, 1, g)) end
end

-- A thread with more than FEW runs has its terminal dispatches in order, each
-- state's by when they became terminal: which they are, and how many, is known
-- without reading them.
local FEW = 8

-- FIELDS is how many of t.runs a run has at most.
local FIELDS = 4

local function pastMember(d)
  return LETTER[d.state] .. string.format('%014.0f%010.0f', d.created + d.completed, d.n) .. d.id
end

-- ordered reports whether the thread's terminal dispatches are in order, and with
-- begins puts them in order when it has come to have many runs. A first member
-- that is none tells that it was done. made: how many runs it has had.
local function ordered(t, begins, made)
  if made and FIELDS * made <= 3 * FEW then return false end
  if redis.call('EXISTS', t.past) == 1 then return true end
  if not begins or redis.call('HLEN', t.runs) <= 3 * FEW then return false end
  redis.call('ZADD', t.past, 0, '-')
  for _, id in ipairs(runIDs(t)) do
    local d = getRun(t, id)
    if TERMINAL[d.state] then redis.call('ZADD', t.past, 0, pastMember(d)) end
  end
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
    label = '', agent = '', headers = '', summary = '', failed = '', node = '', taken = '', stopper = '', instead = '', became = '',
  }
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
    if ordered(t, false, made) then redis.call('ZADD', t.past, 0, pastMember(d)) end
    if d.dedupe ~= '' and redis.call('HGET', t.disp, 'd:' .. d.dedupe) == d.id then
      redis.call('HDEL', t.disp, 'd:' .. d.dedupe)
    end
  end
end

-- LABELLED is how many runs of one label are found by it.
local LABELLED = 32

-- labelling is the field of t.memo that has the runs of a label, a new one among them, and
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
  return 'l:' .. name, table.concat(pack({}, ids, 1, #ids))
end

local function record(t, d) return redis.call('HGET', t.runs, 'r' .. d.n) end

-- inLog is a run's terminal event, if the log has it.
local function inLog(t, r, d)
  return d.status == 'ended' and d.finish >= r.base and logged(r, t.log, t.big, d.finish, d.finish)[1]
end

local function terminalOf(t, r, d) return redis.call('HGET', t.runs, 't' .. d.n) or inLog(t, r, d) end
local function setTerminal(t, d, event) redis.call('HSET', t.runs, 't' .. d.n, event) end

-- besides are a run's record, its terminal event, and its execution's latest run. Only an
-- execution that was continued says which one that is.
local function besides(t, r, d)
  local v = redis.call('HMGET', t.runs, 'r' .. d.n, 't' .. d.n, 'l:' .. d.execution)
  return v[1], v[2] or inLog(t, r, d), v[3] or d.id
end

-- asking returns fields of t.runs, and what they hold: the terminal event of a run that has
-- asked, which is read from the log as long as the thread waits, and who goes on with the
-- run; by: '' nobody. became is as a run's. Who takes the event out of the log stores it.
local function asking(t, r, run, by, became)
  local d, fields = getRun(t, run), {}
  if not d then return fields end
  local event = inLog(t, r, d)
  if event then fields[1], fields[2] = 't' .. d.n, event end
  if by ~= '' then
    d.continued, d.became = by, became or ''
    fields[#fields + 1], fields[#fields + 2] = lineOf(d)
  end
  return fields
end

-- The live execution is one string, packed: fields of a hash cost more than most
-- of these hold. Beside what names it stand its open suspension and, after a
-- resume, what giving back needs. It is the journal's first entry, and what is
-- frozen the second: a list has no overhead for long ones.
local EXECUTION = { 'id', 'agent', 'began', 'open', 'susp', 'given', 'jlen', 'deadline' }

local function executionIn(stored)
  local x = {}
  for i, text in ipairs(unpacked(stored)) do x[EXECUTION[i]] = text end
  return x
end

-- A script reads it once: who changes it puts it, and who drops the journal says so.
local function getExecution(t)
  if t.execution == nil then
    local stored = redis.call('LINDEX', t.journal, 0)
    t.execution = stored and executionIn(stored)
  end
  return t.execution or nil
end

-- journaled reads the whole journal at once, which getExecution and carried would else do
-- apart. What comes to it is put into t.entries as well.
local function journaled(t)
  t.entries = redis.call('LRANGE', t.journal, 0, -1)
  local stored = table.remove(t.entries, 1)
  t.execution = stored and executionIn(stored) or false
end

local function packExecution(x)
  local texts, last = {}, 3
  for i, name in ipairs(EXECUTION) do
    texts[i] = x[name] or ''
    if texts[i] ~= '' then last = math.max(last, i) end
  end
  return table.concat(pack({}, texts, 1, last))
end

local function putExecution(t, x)
  t.execution = x
  redis.call('LSET', t.journal, 0, packExecution(x))
end

-- dropJournal ends the live execution, if there is one.
local function dropJournal(t)
  t.execution = false
  redis.call('DEL', t.journal)
end

-- execute begins an execution.
local function execute(t, id, agent, frozen)
  if t.execution ~= false then dropJournal(t) end
  t.execution = { id = id, agent = agent, began = tostring(NOW) }
  redis.call('RPUSH', t.journal, packExecution(t.execution), frozen)
end

-- What is frozen has beside it, packed, what undoes a snapshot that was moved in the midst
-- of a run, until the execution asks.
local function frozenIn(stored)
  if not stored or not string.find(stored, '^%d') then return stored, false end
  local both = unpacked(stored)
  return both[1], both[2]
end

local function frozenOf(t) return frozenIn(redis.call('LINDEX', t.journal, 1)) end

local function keepUndo(t, undo)
  redis.call('LSET', t.journal, 1, table.concat(pack({}, { (frozenOf(t)), undo }, 1, 2)))
end

local function dropUndo(t)
  local frozen, undo = frozenOf(t)
  if undo then redis.call('LSET', t.journal, 1, frozen) end
end

-- executing returns the live execution's id, agent, and the time at which it
-- began; nil: there is none.
local function executing(t)
  local x = getExecution(t)
  if x then return x.id, x.agent, x.began end
end

-- carried is what the holder of the claim of run d is told of the live execution, as
-- journal.lua returns it.
local function carried(t, r, d)
  local id, agent, began = executing(t)
  local entries = t.entries or redis.call('LRANGE', t.journal, 1, -1)
  local frozen, undo = frozenIn(table.remove(entries, 1) or false)
  return { id or '', agent or '', frozen, began or 0, entries, d.started, math.max(r.attempts - 1, 0), activeFor(r), undo }
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
  return string.sub(redis.sha1hex(table.concat(pack({}, { token, call }, 1, 2))), 1, 16)
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
-- stopper, instead}; times are Unix ms, 0 none.
local function describe(t, r, d)
  local held, asks = r.run == d.id and r.token ~= '', waits(t, r, d)
  return { d.id, d.state, d.epoch, d.priority, d.dedupe, d.available,
    r.run == d.id and r.attempts or d.attempts, d.max, d.error, d.node, held and r.lease or 0,
    d.started > 0 and 1 or 0, terminalOf(t, r, d), asks and '' or d.continued, d.created, d.created + d.updated,
    TERMINAL[d.state] and d.created + d.completed or 0, record(t, d), redis.call('HGET', t.disp, 'i:' .. d.id), d.summary ~= '' and d.summary,
    tonumber(d.taken) or 0, asks and 1 or 0, asks and '' or d.became, d.stopper, d.instead }
end
