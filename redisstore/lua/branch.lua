-- branch.lua: the branches of a thread, in its archive. Ids of messages are UTF-8, so that
-- what begins with this byte names none of them: alone it has the branches, each with what
-- is said of it, the latest first, and before a branch's id what its messages are.

local BRANCH, BRANCHES, BRANCH_ROOM = '\255', 16, 2097152

-- branch keeps what a run takes out of the thread, as far as there is room; about '': that
-- is nothing. The branch that the run restores is one no more.
local function branch(t, run, about, messages, restores)
  local list, n, room = {}, 0, BRANCH_ROOM
  if about ~= '' then
    list, n, room = { run, about }, 1, room - #messages
    if messages ~= '' then redis.call('HSET', t.archive, BRANCH .. run, messages) end
  end
  local ok, earlier = pcall(unpacked, redis.call('HGET', t.archive, BRANCH) or '')
  for i = 1, ok and #earlier or 0, 2 do
    local size = redis.call('HSTRLEN', t.archive, BRANCH .. earlier[i])
    if earlier[i] ~= restores and n < BRANCHES and size <= room then
      list[#list + 1], list[#list + 2] = earlier[i], earlier[i + 1]
      n, room = n + 1, room - size
    else
      redis.call('HDEL', t.archive, BRANCH .. earlier[i])
    end
  end
  if n > 0 then
    redis.call('HSET', t.archive, BRANCH, packed(list, 1, #list))
  else
    redis.call('HDEL', t.archive, BRANCH)
  end
end
