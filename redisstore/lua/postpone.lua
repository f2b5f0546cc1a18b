-- postpone.lua: say anew from when on an open suspension wants a claim.
--
-- KEYS  all of the thread's
-- ARGS
--   member
--   interrupt  one of the suspension's
--   at         Unix ms
--
-- Returns {1}, or {0} when the interrupt is not open.

local t, member = keysOf(KEYS), ARG.member
local _, head = suspension(t)
if not head then return { 0 } end
for i = 1, #head[4], 8 do
  if string.sub(head[4], i, i + 7) == digest(ARG.interrupt) then
    local r = open(t.rec)
    later(t, r, member, tonumber(ARG.at))
    if not mayHave(r, 'w') then
      gets(r, 'w')
      redis.call('HSET', t.rec, 'has', r.has)
    end
    return { 1 }
  end
end
return { 0 }
