-- tail.lua: the ends of several logs, and the node goes on following them.
--
-- KEYS  for each: rec
-- ARGS
--   follow  ms for which the node follows
-- EACH
--   member
--
-- Returns for each thread: epoch, end of the log; '' and 0 for one that cannot be
--   read.

local out = {}
for k = 1, #KEYS do
  -- Only what reads is guarded: that nothing can be written is no thread's own.
  local ok, r = pcall(open, KEYS[k])
  if ok and r.seq then
    follow(r, tonumber(ARG.follow), 'before')
    create(KEYS[k], r, ARGV[REST + k - 1], 2 * tonumber(ARG.follow))
  else
    r = { epoch = '', seq = 0 }
  end
  local n = #out
  out[n + 1], out[n + 2] = r.epoch, r.seq
end
return out
