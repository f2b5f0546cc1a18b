-- commit.lua: append batches of several runs, none of which ends, each with a
-- verdict of its own.
--
-- KEYS    for each run: rec, log, journal, followers
-- ARGV[7] for each run: member, run, token, dispatch epoch, number, expected
--         position, 1 if closing is given, closing, number of events, number of
--         records, events, records
--
-- Returns for each run: verdict (as fence), epoch, end of the log.

local out, at = {}, 7
for k = 1, #KEYS, 4 do
  local rec, member = KEYS[k], ARGV[at]
  local expect = tonumber(ARGV[at + 5])
  local events = at + 10
  local records = events + tonumber(ARGV[at + 8])
  local stop = records + tonumber(ARGV[at + 9])
  local r = open(rec)
  local verdict = fence(r, ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), expect)
  if verdict == OK then
    push(KEYS[k + 1], ARGV, events, records - 1)
    push(KEYS[k + 2], ARGV, records, stop - 1)
    r.seq = expect + records - events
    if ARGV[at + 6] == '1' then
      save(rec, r, 'cn', ARGV[at + 4], 'closing', ARGV[at + 7])
    else
      save(rec, r, 'cn', ARGV[at + 4])
    end
    publish(KEYS[k + 3], member, r.epoch, expect + 1, ARGV, events, records - 1)
  elseif verdict == STORED then
    verdict = OK
  end
  local n = #out
  out[n + 1], out[n + 2], out[n + 3] = verdict, r.epoch, r.seq
  at = stop
end
return out
