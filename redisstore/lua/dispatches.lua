-- dispatches.lua: dispatches of a thread.
--
-- KEYS  all of the thread's
-- ARGS
--   run     this one alone; '': those of the states
--   limit
--   offset
-- REST  the states; none: all
--
-- Returns dispatches (as describe), those not terminal in the order of claiming,
--   then terminal ones, latest first.

local t = keysOf(KEYS)
local r = open(t.rec)

if ARG.run ~= '' then
  local d = getRun(t, ARG.run)
  return { d and describe(t, r, d) or nil }
end

local wanted, live, over = {}, #ARGV < REST, #ARGV < REST
for i = REST, #ARGV do
  wanted[ARGV[i]] = true
  if TERMINAL[ARGV[i]] then over = true else live = true end
end
if #ARGV < REST then wanted = nil end

local found, skip, limit = {}, tonumber(ARG.offset), tonumber(ARG.limit)
local function offer(d)
  if d and not TERMINAL[d.state] and (not wanted or wanted[d.state]) then found[#found + 1] = d end
end
if live then
  if r.run ~= '' then offer(getRun(t, r.run)) end
  for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do offer(getRun(t, id)) end
end

-- past holds members as run.lua makes them, of as many as the page can reach.
local past, reach = {}, skip + limit - #found
if over and reach > 0 and ordered(t) then
  for state in pairs(TERMINAL) do
    if not wanted or wanted[state] then
      local of = LETTER[state]
      local after = '(' .. string.char(string.byte(of) + 1)
      for _, m in ipairs(redis.call('ZREVRANGEBYLEX', t.past, after, '[' .. of, 'LIMIT', 0, reach)) do past[#past + 1] = m end
    end
  end
elseif over and reach > 0 then
  for _, id in ipairs(runIDs(t)) do
    local d = getRun(t, id)
    if TERMINAL[d.state] and (not wanted or wanted[d.state]) then past[#past + 1] = pastMember(d) end
  end
end
table.sort(past, function(a, b) return string.sub(a, 2) > string.sub(b, 2) end)

local out = {}
for i = skip + 1, math.min(skip + limit, #found + #past) do
  local d = found[i] or getRun(t, string.sub(past[i - #found], 26))
  if d then out[#out + 1] = describe(t, r, d) end
end
return out
