-- begin.lua: admit one run that was judged on a version of the thread.
--
-- KEYS     the thread's keys
-- ARGV[7]  member
-- ARGV[8]  version    of the view that was judged
-- ARGV[9]  deadline   Unix ms; 0: none
-- ARGV[10] keep       ms for which labels and answers are kept
-- ARGV[11] follow     ms for which the node follows
-- ARGV[12] lease      ms
-- ARGV[13] run        id
-- ARGV[14] label
-- ARGV[15] execution
-- ARGV[16] record
-- ARGV[17] how        'queue', 'new' (execution), 'resume' or 'steer' (answers and a new execution)
-- ARGV[18] token      'queue': the input
-- ARGV[19] frozen     'queue': RUN_STARTED cancelled; 'resume': the journal record of the decisions
-- ARGV[20] agent      'queue': RUN_FINISHED cancelled
-- ARGV[21] n          number of answers
-- ARGV[22] m          number of messages to archive
-- ARGV[23] tenant
-- ARGV[24] title
-- then                the answers, id and answer; the messages, id and message
-- then                the events to log
--
-- Returns {verdict, start, epoch, claimed, ready}: verdict 0 accepted, 1 stale,
--   2 expired, 3 a run is active, 4 an interrupt is open and is not answered,
--   5 no interrupt is open, 6 the suspended execution is another. claimed: the
--   run is active under the token. ready: {1, logged before, events} if the
--   queue was released, else {0}.

local t, member = keysOf(KEYS), ARGV[7]
local run, how, token = ARGV[13], ARGV[17], ARGV[18]
local r = open(t.rec)

local status, admitted = runState(t, run)
if status then
  return { 0, admitted, r.epoch, (r.run == run and r.token == token) and 1 or 0, { 0 } }
end
if r.ver ~= tonumber(ARGV[8]) then return { 1, r.seq, r.epoch, 0, { 0 } } end
local deadline = tonumber(ARGV[9])
if deadline > 0 and NOW > deadline then return { 2, r.seq, r.epoch, 0, { 0 } } end

local susp = redis.call('EXISTS', t.susp) == 1
local resumes = how == 'resume' or how == 'steer'
if how ~= 'queue' then
  if r.run ~= '' then return { 3, r.seq, r.epoch, 0, { 0 } } end
  if susp and not resumes then return { 4, r.seq, r.epoch, 0, { 0 } } end
  if resumes and not susp then return { 5, r.seq, r.epoch, 0, { 0 } } end
  if how == 'resume' and redis.call('HGET', t.exec, 'id') ~= ARGV[15] then return { 6, r.seq, r.epoch, 0, { 0 } } end
end

create(t.rec, r, member)
touch(t, r, member, ARGV[23], ARGV[24])
local start = r.seq
redis.call('HSET', t.runs, 'r:' .. run, ARGV[16])
local ids = redis.call('HGET', t.labels, ARGV[14]) or ''
redis.call('HSET', t.labels, ARGV[14], ids .. #run .. ':' .. run)
if not susp or resumes then redis.call('PEXPIRE', t.labels, ARGV[10]) end
follow(t.followers, tonumber(ARGV[11]))

if how == 'queue' then
  setRun(t, run, 'queued', start, 0, ARGV[15])
  redis.call('HSET', t.disp, 'i:' .. run, ARGV[18], '1:' .. run, ARGV[19], '2:' .. run, ARGV[20])
  redis.call('ZADD', t.queue, redis.call('HINCRBY', t.rec, 'qseq', 1), run)
  local released = { 0 }
  if r.run == '' and not susp then
    if release(t, r, member) then
      nudge(member)
      released = { 1, start, r.extra or {} }
    end
    publish(t.followers, member, r.epoch, start + 1, r.extra or {}, 1, r.seq - start)
  end
  decide(t, r)
  return { 0, start, r.epoch, 0, released }
end

local n = tonumber(ARGV[21])
local archived = 25 + 2 * n
local first = archived + 2 * tonumber(ARGV[22])
for i = archived, first - 1, 2 do redis.call('HSET', t.archive, ARGV[i], ARGV[i + 1]) end
if resumes then
  local given = {}
  for i = 25, archived - 1, 2 do
    redis.call('HSET', t.answers, 'a:' .. ARGV[i], ARGV[i + 1])
    given[#given + 1] = ARGV[i]
  end
  redis.call('PEXPIRE', t.answers, ARGV[10])
  susp = answered(t, r.latest)
  if how == 'resume' then
    redis.call('RPUSH', t.journal, ARGV[19])
    redis.call('HSET', t.exec, 'susp', susp, 'given', table.concat(pack({}, given, 1, #given)),
      'jlen', redis.call('LLEN', t.journal), 'deadline', redis.call('ZSCORE', t.ready, member) or '')
  end
end
if how ~= 'resume' then
  redis.call('DEL', t.exec, t.journal)
  redis.call('HSET', t.exec, 'id', ARGV[15], 'agent', ARGV[20], 'frozen', ARGV[19], 'began', NOW)
end

push(t.log, ARGV, first, #ARGV)
r.seq = start + #ARGV - first + 1
publish(t.followers, member, r.epoch, start + 1, ARGV, first, #ARGV)

r.run, r.token, r.node, r.cn, r.attempts, r.kind, r.closing = run, token, NODE, 1, 1, 'b', ''
r.lease, r.latest = NOW + tonumber(ARGV[12]), run
setRun(t, run, 'active', start, start + 1, ARGV[15])
redis.call('HSET', t.runs, 'l:' .. ARGV[15], run)
redis.call('ZADD', t.leases, r.lease, member)
redis.call('ZREM', t.ready, member)
decide(t, r)
return { 0, start, r.epoch, 1, { 0 } }
