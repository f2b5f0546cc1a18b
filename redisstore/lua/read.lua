-- read.lua: a thread as it is, in one step; registers the node as follower.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   follow  ms for which the node follows; 0: do not register
--   sender  1: for no more than the runs of its own inputs
--   epoch   the position after which events are wanted; '': none
--   seq
--   have    the epoch of the position as of which the caller holds messages and state;
--           '': of none
--   haveseq
--   label   '': none
--   run     '': none
--   asked   how many interrupt ids
--   calls   how many tool call ids
--   inputs  1: the queued inputs too
--   most    bytes of snapshot, log and inputs; 0: as many as there are
--   missed  how many of the wanted events; 0: the caller has read them itself
--   window  how many of the messages, the last ones; '': all of them, with all of the log
--   room    about how many bytes these have at most
--   journal 1: the execution that waits, and its journal
-- REST  the interrupt, tool call and message ids
--
-- Returns {about how many bytes it would be, from} when that is more than most, or {now, ver, epoch, base, seq, bound, snapat, from, elements,
--   snapshot, suspension, active, latest, run, labelled, queue, how many stand in it but for some that have joined a run,
--   answers, asked, archived, dispatch epoch, paused, drafts, tenant, title, deleted, bytes,
--   owner, used, window, where the log's list begins, bytes in that, which of the list is the first
--   of elements, how many the list has, {id, agent, frozen, began, the journal's first entries, how many it has}
--   of the execution that waits, if it is asked for}; a run
--   is {id, record, status, start, terminal, execution, the execution's latest run}, an
--   absent one is false. from: the elements have the events after 0 the snapshot, which comes with
--   them, 1 the position that they are wanted from, 2 what the caller has; then the snapshot
--   is what is frozen, alone. With a window it has no messages and no order but n and e; behind
--   what was used come these, as windowed returns them, and elements are the first ones only.
--   The queue holds of each run id, record, bytes, input.

local t, member = keysOf(KEYS), ARG.member
local about = { open(t.rec, 'tenant', 'title', 'was', 'input', 'owner') }
local r = table.remove(about, 1)
-- A thread without a version has had no run: there is nothing in its other keys.
local used = r.ver > 0
if ARG.follow ~= '0' then
  follow(r, tonumber(ARG.follow), ARG.sender == '1' and 'sender' or nil)
  create(t.rec, r, member, 2 * tonumber(ARG.follow), about[2] and true or false)
elseif r.new then
  r.epoch = '' -- looking at a thread does not use it
end

-- run is what the view has of a run. That of the latest one, which is mostly the one with the
-- highest ordinal and has nobody who goes on with it, is read with what else t.runs has: texts.
local known, texts = {}, {}
local function run(id)
  if id == '' or known[id] ~= nil then return known[id] or false end
  local ahead = id == r.latest
  if ahead then t.ahead = { [id] = texts[1] } end
  local d = getRun(t, id)
  if d and ahead and d.n == r.n then
    known[id] = { id, texts[2], d.status, d.started, d.terminal ~= '' and d.terminal, d.execution, id }
  elseif d then
    local kept, latest = besides(t, d)
    known[id] = { id, kept, d.status, d.started, d.terminal ~= '' and d.terminal, d.execution, latest }
  else
    known[id] = false
  end
  return known[id]
end

local after = tonumber(ARG.seq)
local retained = ARG.epoch == r.epoch and after >= retainedFrom(r) - 1 and after <= r.seq

-- behind is about how many bytes the events after a position have.
local function behind(seq)
  if r.seq < r.base then return 0 end
  return r.bytes * (r.seq - math.max(seq, r.base - 1)) / (r.seq - r.base + 1)
end

-- Where a run has logged more than there is of the thread, to read that is less.
local have = tonumber(ARG.haveseq)
local has = not retained and ARG.have ~= '' and ARG.have == r.epoch and have >= math.max(r.base - 1, r.told) and have <= r.seq
  and (have >= r.snapat or behind(have) <= held(t, r) + behind(r.snapat))

local queued = mayHave(r, 'q') and redis.call('ZRANGE', t.queue, 0, -1) or {}

-- weight is about how many bytes what may be large has.
local function weight()
  local bytes = 0
  if ARG.inputs == '1' then
    for _, id in ipairs(queued) do bytes = bytes + redis.call('HSTRLEN', t.disp, 'i:' .. id) end
  end
  if retained then return bytes end
  if has then return bytes + behind(have) end
  local kept = held(t, r)
  if ARG.window ~= '' then
    local each = kept / math.max(redis.call('HLEN', t.snap), 1)
    kept = math.min(kept, tonumber(ARG.room), 2 * each * tonumber(ARG.window)) + redis.call('HSTRLEN', t.snap, 's')
  end
  return bytes + behind(r.snapat) + kept
end
if ARG.most ~= '0' then
  local bytes = weight()
  -- Beside pieces of a change all of the snapshot is more than what the order names.
  local much = mayHave(r, 'p') and ARG.window == '' and not retained and not has
  if much or bytes > tonumber(ARG.most) then return { math.floor(bytes), retained and 1 or 0 } end
end

-- afterwards are the events after a position: of many the first.
local function afterwards(seq)
  seq = math.max(seq + 1, r.base)
  if seq > r.seq then return {}, 0, 0 end
  return leading(r, t.log, t.big, seq, r.seq, ARG.window == '' and math.huge or nil)
end

local from, events, snapshot, window, place, all = 0, {}, {}, false, 0, 0
if retained then
  from = 1
  events, place, all = leading(r, t.log, t.big, after + 1, tonumber(ARG.missed))
  if ARG.missed == '0' then all = redis.call('LLEN', t.log) end
elseif has then
  from = 2
  events, place, all = afterwards(have)
elseif used then
  t.replaced = replaced(t, r)
  window = ARG.window ~= '' and windowed(t, '', 0, '', tonumber(ARG.window), 0, tonumber(ARG.room))
  if window then
    local names = { 's', 'r', 'n', 'e' }
    for i, text in ipairs(redis.call('HMGET', t.snap, unpack(names))) do
      local name = names[i]
      if text then snapshot[#snapshot + 1], snapshot[#snapshot + 2] = name, text end
    end
  else
    snapshot = redis.call('HGETALL', t.snap)
  end
  events, place, all = afterwards(r.snapat)
elseif ARG.window ~= '' then
  window = NONE
end

local calls = REST + tonumber(ARG.asked)
local messages = calls + tonumber(ARG.calls)

-- noted are fields of t.runs: the latest run, the execution, what it was given, the label's runs,
-- answers, tool calls that were asked about, what is frozen.
local noted = { 'm:' .. r.latest, 'r' .. r.n, 'x', 'g', 'l:' .. ARG.label }
local labelled, answers, asked, asks = {}, {}, {}, #noted + 1
for i = REST, messages - 1 do noted[#noted + 1] = (i < calls and 'a:' or 'c:') .. ARGV[i] end
if ARG.journal == '1' then noted[#noted + 1] = 'f' end
for i = 1, used and #noted or 0, 500 do
  for j, text in ipairs(redis.call('HMGET', t.runs, unpack(noted, i, math.min(i + 499, #noted)))) do texts[i + j - 1] = text end
end
t.execution, t.frozen = executionIn(texts[3]), texts[#noted]
if from ~= 1 and texts[4] then snapshot[#snapshot + 1], snapshot[#snapshot + 2] = 'f', texts[4] end
for i = REST, messages - 1 do
  local text = texts[i - REST + asks] or false
  if i < calls then answers[#answers + 1] = text else asked[#asked + 1] = text and 1 or 0 end
end
if ARG.label ~= '' then
  for _, id in ipairs(unpacked(texts[5] or '')) do labelled[#labelled + 1] = run(id) or nil end
end

-- Of inputs that have joined a run so many stand in the queue beside those that wait.
local JOINED = 1000

local queue, joined = {}, 0
for _, id in ipairs(queued) do
  local d = getRun(t, id)
  if d.status == 'queued' then
    local kept, n = record(t, d), #queue
    queue[n + 1], queue[n + 2] = id, kept
    queue[n + 3] = #kept + redis.call('HSTRLEN', t.disp, 'i:' .. id)
    queue[n + 4] = false
    if ARG.inputs == '1' then queue[n + 4] = redis.call('HGET', t.disp, 'i:' .. id) end
  elseif d.state == 'acked' then
    joined = math.min(joined + 1, JOINED)
  end
end

local archived = used and messages <= #ARGV and archivedOf(t, ARGV, messages) or {}

local active = run(r.run)
if r.run ~= '' and not active then error('the active run has no record') end

local paused = r.pause == '1' or r.pause == '2'

local waiting = false
if ARG.journal == '1' and suspended(t) then
  local id, agent, began = executing(t)
  local entries, all = entriesOf(t, r)
  waiting = { id, agent, (frozenOf(t)), began or 0, entries, all }
end

return { NOW, r.ver, r.epoch, retainedFrom(r), r.seq, r.bound, r.snapat, from, events, snapshot,
  used and suspension(t) or false, active, run(r.latest), run(ARG.run), labelled, queue, #queued - joined, answers, asked, archived,
  r.depoch, paused and 1 or 0, mayHave(r, 'd') and redis.call('HGETALL', t.drafts) or {}, about[1], about[2],
  (about[3] and not about[4]) and 1 or 0, held(t, r) + r.bytes, about[5], about[4] and 1 or 0, window, r.base, r.bytes, place, all, waiting }
