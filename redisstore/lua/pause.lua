-- pause.lua: the wish that the active run suspends. In the record '1' is a wish, '2'
-- one that the claim's worker carries out, and '0' stands before the name of the
-- call that took the last one back.
--
-- KEYS[1] rec
-- ARGV[7]  how      'wish', 'back' (take it back) or 'take' (carry it out)
-- ARGV[8]  request  'back': names the call
-- ARGV[9]  run      'take': with token and dispatch epoch the claim
-- ARGV[10] token
-- ARGV[11] dispatch epoch
--
-- Returns 1 if that is so now; 0 when no run is active, there is no wish, or the
--   claim is lost.

local r, how = open(KEYS[1]), ARGV[7]
local before, after = r.pause, nil
if r.run == '' then return 0 end
if how == 'wish' then
  after = before == '2' and '2' or '1'
elseif how == 'back' then
  local back = '0' .. ARGV[8]
  if before == '1' or before == back then after = back end
elseif holds(r, ARGV[9], ARGV[10], tonumber(ARGV[11])) and (before == '1' or before == '2') then
  after = '2'
end
if not after then return 0 end
if after ~= before then redis.call('HSET', KEYS[1], 'pause', after) end
return 1
