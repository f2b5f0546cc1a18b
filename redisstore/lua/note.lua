-- note.lua: append one batch whose entries are bookkeeping.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   run
--   token
--   depoch   the dispatch epoch
--   number
--   expect   position
--   closes   1: closing is given
--   closing
--   events   how many
--   elements of the log, how many
-- REST  these, the entries
--
-- Returns {verdict (as fence, PAUSED and JOINS), epoch, end of the log}.

local t, member = keysOf(KEYS), ARG.member
local r, joins = open(t.rec, 'join')
local expect, last = tonumber(ARG.expect), REST - 1 + tonumber(ARG.elements)

local verdict = fence(r, ARG.run, ARG.token, tonumber(ARG.depoch), tonumber(ARG.number), expect)
if verdict == OK then
  append(r, t.log, t.big, ARGV, REST, last, tonumber(ARG.events))
  note(t, r, getRun(t, r.run), ARGV, last + 1, #ARGV)
  if ARG.closes == '1' and (ARG.closing ~= '' or mayHave(r, 'c')) then
    redis.call('SET', t.closing, ARG.closing)
    gets(r, 'c')
  end
  redis.call('HSET', t.rec, 'seq', digits(r.seq), 'len', digits(r.bytes), 'cn', ARG.number, 'has', r.has)
  publish(r.nodes, member, r.epoch, ARGV, REST, last)
elseif verdict == STORED then
  verdict = OK
end
if verdict == OK then
  if r.pause == '1' then verdict = verdict + PAUSED end
  if joins then verdict = verdict + JOINS end
end
return { verdict, r.epoch, r.seq }
