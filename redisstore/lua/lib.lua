-- lib.lua: what all scripts share. What a script uses of it stands before it, and is
-- executed with it; the same goes for the other files that scripts.go names.
--
-- Arguments have names, which scripts.go replaces when it puts a script together:
-- ARG.name is the argument that lib.lua or the script declares under ARGS, in that
-- order; REST the index of the first one behind them, in ARGV; EACH.name the place of
-- one in a group of those that the script declares under EACH, the first being 0, and
-- WIDTH how many make a group.
--
-- ARGS of every script
--   now       Unix ms; '0' means the server's own clock
--   history   names the history of the data; '' means master_replid
--   fresh     a new random epoch, used if one has to begin
--   node      the caller's node id
--   channels  the prefix of the node channels
--   nudges    the channel on which ready threads are announced
--   notices   about how many entries of them a partition keeps

local NODE = ARG.node

-- now is the time of the whole script, in Unix ms.
local time
local function now()
  if time then return time end
  time = tonumber(ARG.now)
  if time == 0 then
    local t = redis.call('TIME')
    time = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
  end
  return time
end

-- history names the history of this master's data: it changes when a replica
-- is promoted or the server restarts, which is when writes may have been lost.
-- Every thread keeps it, so only as much of it as tells two apart.
local known
local function history()
  if known then return known end
  known = ARG.history
  if known == '' then
    local info = redis.pcall('INFO', 'replication')
    local at = type(info) == 'string' and string.find(info, 'master_replid:', 1, true)
    if not at then error('master_replid cannot be read') end
    known = string.sub(info, at + 14, at + 29)
  end
  return known
end

-- current is a record's epoch by now: a record of another history gets a fresh
-- one at once, whatever the script goes on to do.
local function current(rec, epoch, replid)
  if replid == history() then return epoch end
  redis.call('HSET', rec, 'epoch', ARG.fresh, 'replid', history())
  return ARG.fresh
end

-- piecewise calls a command on a key with list[first..last], so much of it at a time as
-- unpack takes.
local function piecewise(command, key, list, first, last)
  for i = first, last, 500 do
    redis.call(command, key, unpack(list, i, math.min(i + 499, last)))
  end
end

-- digits writes a whole number. Redis and Lua take three times as long for one that may be none.
local function digits(n) return string.format('%d', n) end

-- lengths are what packed has written before strings: to write a number takes long.
local lengths = {}

-- room is where it puts them together. A list that grows does so in steps, each of which takes
-- longer than to put something there: this one and others begin with room for what they mostly hold.
local room = { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }

-- packed is list[first..last] as one string: one string after the other, each with its length.
local function packed(list, first, last)
  local n = 0
  for i = first, last do
    local s = list[i] .. ''
    local length = lengths[#s]
    if not length then
      length = string.format('%d:', #s)
      lengths[#s] = length
    end
    room[n + 1], room[n + 2], n = length, s, n + 2
  end
  return table.concat(room, '', 1, n)
end

-- An element of a log has one event or several: the position of the first, a comma, how many bytes
-- they have, a colon, and the events as packed. A zero byte stands behind the colon, before an event,
-- in what a caller gives for a large one, and alone in the log for one that lies in big, by its position.

-- element is events that a script has found, the first of them for a position.
local function element(at, events)
  local bytes = 0
  for _, e in ipairs(events) do bytes = bytes + #e end
  return string.format('%d,%d:', at, bytes) .. packed(events, 1, #events)
end

-- append logs list[first..last], which are elements of n events, behind r.seq. big nil: none of
-- them is large.
local function append(r, log, big, list, first, last, n)
  local bytes, marks = 0, nil
  for i = first, last do
    local e = list[i]
    local at, size, large, rest = string.match(e, '^(%d+),(%d+):(%z?)()')
    bytes = bytes + size
    if big and large ~= '' then
      if not marks then
        marks = {}
        for j = first, last do marks[#marks + 1] = list[j] end
      end
      marks[i - first + 1] = string.sub(e, 1, rest - 1)
      redis.call('HSET', big, at, string.sub(e, rest))
    end
  end
  if marks then piecewise('RPUSH', log, marks, 1, #marks) else piecewise('RPUSH', log, list, first, last) end
  r.seq, r.bytes = r.seq + n, r.bytes + bytes
end

-- A thread's record says in one field which nodes follow it: of each its id, a space, until
-- when, '~' if it does so for the runs of inputs alone that it has sent, a space. What is
-- anything else is nobody.
local FOLLOWER = '(%S+) (%d+)(~?) '

-- others are the nodes that follow by now, without the caller's own, which learns from the
-- answer what they are told.
local function others(nodes)
  local list = {}
  for node, till in string.gmatch(nodes, FOLLOWER) do
    if node ~= NODE and tonumber(till) >= now() then list[#list + 1] = node end
  end
  return list
end

-- publish sends list[first..last] to the nodes that follow the thread: elements, or events, the
-- first of them at a position.
local function publish(nodes, member, epoch, list, first, last, at)
  local to = last >= first and others(nodes) or {}
  if #to == 0 then return end
  if at then list, first, last = { element(at, list) }, 1, 1 end
  local message = packed({ 'e', member, epoch }, 1, 3) .. packed(list, first, last)
  for _, node in ipairs(to) do redis.call('PUBLISH', ARG.channels .. node, message) end
end

-- A thread's record says in one field, a letter for each, which of its keys may have something,
-- so that those which have nothing need not be asked: a runs, of answers; c closing; d drafts;
-- j journal; q queue; w ready, while the thread waits for answers; p pieces of a change of the
-- stored messages (pieces.lua).
local function mayHave(r, letter) return string.find(r.has, letter, 1, true) ~= nil end

local function gets(r, letter)
  if not mayHave(r, letter) then r.has = r.has .. letter end
end

local function loses(r, letter) r.has = string.gsub(r.has, letter, '') end

local OK, FENCED, AHEAD, MISMATCH, STORED = 0, 1, 2, 3, 4

-- PIECES is the verdict on a change of the stored messages before which pieces of another one are
-- to go, or some of its own to come (pieces.lua).
local PIECES = 5

-- PAUSED is added to a verdict when the thread is wished to pause (pause.lua).
local PAUSED = 8

-- JOINS is added to it when the record names an input that waits to join the run: the
-- latest that came to do so, and that may have been taken out of the queue since.
local JOINS = 16

-- fence judges a batch by its claim, number and expected position. STORED: it
-- is the last one stored, sent again.
local function fence(r, run, token, depoch, number, expect)
  if expect > r.seq then return AHEAD end
  if token == '' or r.run ~= run or r.token ~= token or r.depoch ~= depoch then return FENCED end
  if number == r.cn then return STORED end
  if number > r.cn + 1 then return AHEAD end
  if number <= r.cn or expect ~= r.seq then return MISMATCH end
  return OK
end
