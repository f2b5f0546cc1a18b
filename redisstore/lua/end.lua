-- end.lua: append a run's last batch and end the run.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   run
--   token
--   depoch      the dispatch epoch
--   number
--   expect      position
--   kind        'suspend', 'finish', 'fail' or 'cancel'
--   suspension
--   deadline    of the suspension, Unix ms; 0: none
--   expires     when all of its interrupts have expired, Unix ms; 0: never
--   reasons     of the suspension, their digests one after the other; '-': nobody is asked
--   told        of the suspension, its reasons as notices name them
--   summaries   of its interrupts, as notices show them; '': they do not
--   giveback    0: nothing; else one more than how many entries it goes over
--   code        of the error that gives back
--   summary     what the run has done: store.RunSummary
--   terminal    the last event
--   snapshot    1 or 0
--   state       '': unchanged
--   frozen      '': unchanged
--   whole       1: the order of the messages is what is told, and nothing before it
--   drop        how many ids go off the end of the order
--   mark        1: the last event but one is a mark (marks.go)
--   stamp       names it, if pieces of the snapshot were brought before; '': none were
--   retain      events kept in the log
--   bytes       kept in the log
--   age         ms for which events are kept in the log
--   events      how many
--   elements    of the log, how many
--   entries     how many
--   interrupts  how many ids
--   calls       how many ids of tool calls
--   pieces      of the order, how many
--   messages    how many, with their ids
--   removed     how many ids of messages
-- REST  those but the events, in that order; pieces as reorder has them; id and message
--
-- Returns {verdict (as fence), epoch, end of the batch, ready, gave back, logged before,
--   events logged after the batch, 1 if something may be left to trim}; of a call sent again, without events. {PIECES, stamp}: what
--   another decision has left of pieces must be cleared first, or its own be brought again.

local t, member, run = keysOf(KEYS), ARG.member, ARG.run
local r, of, user = open(t.rec, 'tenant', 'user')
t.tenant, t.user = of or '', user or ''
local expect = tonumber(ARG.expect)

local stamp = stampOf(ARG.token, ARG.number)
lookAhead(t, run)
local d = getRun(t, run)
if d and d.stamp == stamp then return { OK, r.epoch, d.finish, d.ready, d.gave, r.seq, {}, 1 } end
local verdict = fence(r, run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), expect)
if verdict == STORED then verdict = MISMATCH end
if verdict ~= OK then return { verdict, r.epoch, r.seq, 0, 0, r.seq, {}, 0 } end

local at = REST
local function part(count, width)
  local first = at
  at = at + tonumber(count) * (width or 1)
  return first, at - 1
end
local e1, e2 = part(ARG.elements)
local j1, j2 = part(ARG.entries)
local i1, i2 = part(ARG.interrupts)
local c1, c2 = part(ARG.calls)
local o1, o2 = part(ARG.pieces, 3)
local m1, m2 = part(ARG.messages, 2)
local x1, x2 = part(ARG.removed)
local snapshot, was = ARG.snapshot == '1' and { state = ARG.state, frozen = ARG.frozen, whole = ARG.whole == '1', drop = tonumber(ARG.drop),
  o1 = o1, o2 = o2, m1 = m1, m2 = m2, x1 = x1, x2 = x2 }, nil
if snapshot then
  local other
  snapshot.brought, other = brought(t, r, ARG.stamp)
  if other then return { PIECES, other } end
  was = stored(t, r, snapshot, ARGV)
end

append(r, t.log, t.big, ARGV, e1, e2, tonumber(ARG.events))
piecewise('RPUSH', t.journal, ARGV, j1, j2)
if j2 >= j1 then gets(r, 'j') end
if ARG.mark == '1' then marked(t, r, r.seq - 1) end
r.bound = r.seq
local finish = r.seq

local undoes = not snapshot or resnap(t, r, snapshot, ARGV, was)

d.attempts = r.attempts
unclaim(t, r, member)
local ready, gave = 0, 0
over(t, member, d, ARG.kind)
if ARG.kind == 'suspend' then
  local answers = {}
  for i = i1, i2 do answers[#answers + 1] = 'a:' .. ARGV[i] end
  for i = c1, c2 do keep(t, 'c:' .. ARGV[i], 1) end
  if mayHave(r, 'a') then piecewise('HDEL', t.runs, answers, 1, #answers) end
  -- The first millisecond after the deadline is when it wants a claim.
  if undoes then dropUndo(t) end
  suspend(t, r, member, ARG.suspension, ARG.deadline ~= '0' and tonumber(ARG.deadline) + 1, ARG.expires, ARG.reasons, ARG.told,
    ARGV, i1, i2)
  changed(t, member, 'interrupt.opened', { [3] = ARG.reasons, [6] = ARG.told }, names(ARGV, i1, i2),
    { run = run, label = d.label, summaries = ARG.summaries, deadline = ARG.deadline ~= '0' and ARG.deadline })
elseif ARG.giveback ~= '0' and giveBack(t, r, member, d, tonumber(ARG.giveback) - 1, ARG.code) then
  gave = 1
else
  emptyJournal(t, r)
  keep(t, 'x', '', 'f', '') -- an empty field is none: to take both out would be another command
  if release(t, r, member) then
    nudge(t, r, member)
    ready = 1
  end
end
d.status, d.stamp, d.finish, d.ready, d.gave, d.summary = 'ended', stamp, finish, ready, gave, ARG.summary
d.failed = ARG.kind == 'fail' and '1' or ''
move(t, d, 'acked', r.n)
d.terminal = ARG.terminal
putRun(t, d)

mark(r, tonumber(ARG.age))
local more = trim(t, r, tonumber(ARG.retain), tonumber(ARG.bytes), tonumber(ARG.age), 1)
if more then redis.call('HSET', t.rec, 'look', NOW) end
decide(t, r)

local extra = r.extra or {}
publish(r.nodes, member, r.epoch, ARGV, e1, e2)
publish(r.nodes, member, r.epoch, extra, 1, #extra, finish + 1)
return { OK, r.epoch, finish, ready, gave, finish, extra, more and 1 or 0 }
