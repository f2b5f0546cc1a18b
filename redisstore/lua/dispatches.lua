-- dispatches.lua: dispatches of a thread.
--
-- KEYS  all of the thread's
-- ARGS
--   run     this one alone; '': those of the states
--   limit
--   offset
--   room    about how many bytes of inputs; two dispatches come whatever they have
-- REST  the states; none: all
--
-- Returns 1 if there was no room for all of the page, else 0, and dispatches (as describe), those not
--   terminal in the order of claiming, then terminal ones, latest first.

local t = keysOf(KEYS)
local r = open(t.rec)

if ARG.run ~= '' then
  local d = getRun(t, ARG.run)
  return { 0, d and describe(t, r, d) or nil }
end

local wanted, live, over = {}, #ARGV < REST, #ARGV < REST
for i = REST, #ARGV do
  wanted[ARGV[i]] = true
  if TERMINAL[ARGV[i]] then over = true else live = true end
end
if #ARGV < REST then wanted = nil end

-- The page is of the ids that stand behind so many.
local ids, skip, limit = {}, tonumber(ARG.offset), tonumber(ARG.limit)
local function takes(id)
  if skip > 0 then skip = skip - 1 elseif #ids < limit then ids[#ids + 1] = id end
end

if live then
  local waiting = { r.run }
  for _, id in ipairs(redis.call('ZRANGE', t.queue, 0, -1)) do waiting[#waiting + 1] = id end
  linesAhead(t, waiting, 1)
  for _, id in ipairs(waiting) do
    local state = WORD[string.sub(t.ahead[id] or '', 2, 2)]
    if state and not TERMINAL[state] and (not wanted or wanted[state]) then takes(id) end
  end
end

-- A row is what is left of a state's terminal dispatches, by their members as run.lua makes them,
-- the latest first: n of them, of which the first stands in t.past at top.
local rows = {}
local function member(row, i)
  if row.members then return row.members[row.n - i] end
  return redis.call('ZRANGE', t.past, row.top - i, row.top - i)[1]
end
local function later(a, b) return string.sub(a, 2) > string.sub(b, 2) end

if over and ordered(t) then
  for state in pairs(TERMINAL) do
    local of = LETTER[state]
    local n = 0
    if not wanted or wanted[state] then n = redis.call('ZLEXCOUNT', t.past, '[' .. of, '(' .. string.char(string.byte(of) + 1)) end
    if n > 0 then rows[#rows + 1] = { n = n, top = redis.call('ZLEXCOUNT', t.past, '-', '(' .. of) + n - 1 } end
  end
elseif over then
  local members = {}
  for _, id in ipairs(runIDs(t)) do
    local d = getRun(t, id)
    if TERMINAL[d.state] and (not wanted or wanted[d.state]) then members[#members + 1] = pastMember(d) end
  end
  table.sort(members, function(a, b) return later(b, a) end)
  if #members > 0 then rows[1] = { n = #members, members = members } end
end

-- latest is the row of which the member that stands so far down is later than those of others.
local function latest(step)
  local found, of
  for i, row in ipairs(rows) do
    local m = member(row, math.min(step, row.n) - 1)
    if not found or later(m, of) then found, of = i, m end
  end
  return found, of
end
local function drops(i, n)
  rows[i].n, rows[i].top = rows[i].n - n, rows[i].top and rows[i].top - n
  if rows[i].n == 0 then table.remove(rows, i) end
end
-- If as many of each row are looked at as make no more than are left out together, none behind them
-- in the order stands before the latest of these, and all of its row down to it is left out.
while skip > 0 and #rows > 0 do
  local step = math.max(math.floor(skip / #rows), 1)
  local i = latest(step)
  local n = math.min(step, rows[i].n)
  skip = skip - n
  drops(i, n)
end

for _, row in ipairs(rows) do
  if not row.members then
    local n = math.min(limit - #ids, row.n)
    row.members = redis.call('ZRANGE', t.past, row.top - n + 1, row.top)
    row.n = n
  end
end
while #ids < limit and #rows > 0 do
  local i, m = latest(1)
  ids[#ids + 1] = string.sub(m, 26)
  drops(i, 1)
end

local runs, records = {}, {}
linesAhead(t, ids, 1)
for _, id in ipairs(ids) do
  local d = getRun(t, id)
  if d then runs[#runs + 1], records[#records + 1] = d, 'r' .. d.n end
end
if #runs == 0 then return { 0 } end
local out, room, kept = { 0 }, tonumber(ARG.room), redis.call('HMGET', t.runs, unpack(records))
for i, d in ipairs(runs) do
  local input = redis.call('HGET', t.disp, 'i:' .. d.id)
  room = room - #(input or '')
  if room < 0 and i > 2 then
    out[1] = 1
    break
  end
  out[i + 1] = describe(t, r, d, kept[i], input)
end
return out
