-- dispatches.lua: dispatches of a thread.
--
-- KEYS    the thread's keys
-- ARGV[7] run     this one alone; '': those of the states
-- ARGV[8] limit
-- ARGV[9] offset
-- then    the states; none: all
--
-- Returns dispatches (as describe), those not terminal in the order of claiming,
--   then terminal ones, latest first.

local t = keysOf(KEYS)
local r = open(t.rec)

if ARGV[7] ~= '' then
  local d = getRun(t, ARGV[7])
  return { d and describe(t, r, d) or nil }
end

local wanted, live, over = {}, #ARGV < 10, #ARGV < 10
for i = 10, #ARGV do
  wanted[ARGV[i]] = true
  if TERMINAL[ARGV[i]] then over = true else live = true end
end
if #ARGV < 10 then wanted = nil end

local found = {}
local function offer(d, terminal)
  if d and (TERMINAL[d.state] or false) == terminal and (not wanted or wanted[d.state]) then found[#found + 1] = d end
end
if live then
  if r.run ~= '' then offer(getRun(t, r.run), false) end
  for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do offer(getRun(t, id), false) end
end
local lives = #found
if over then
  for _, id in ipairs(runIDs(t)) do offer(getRun(t, id), true) end
end
local done = {}
for i = lives + 1, #found do done[#done + 1], found[i] = found[i], nil end
table.sort(done, function(a, b)
  local x, y = a.created + a.completed, b.created + b.completed
  if x ~= y then return x > y end
  if a.started ~= b.started then return a.started > b.started end
  return a.n > b.n
end)

local out, offset, limit = {}, tonumber(ARGV[9]), tonumber(ARGV[8])
for i = offset + 1, math.min(offset + limit, #found + #done) do
  out[#out + 1] = describe(t, r, i <= #found and found[i] or done[i - #found])
end
return out
