-- single/counter: decides a single request of a counter in mode check. A short script for the most common case.
--
-- The state is that of counter.lua, which explains it, as text of the short form (head.lua).
-- KEYS   one.
-- ARGV   count, time_ms, cost: decimal integers, 1 <= cost <= count < 9.2 * 10^7, time_ms <= 10^10. There is no wait.
-- Reply  if the request passes: remaining * (time_ms + 1) + reset_after_ms; if it is refused and nothing remains:
--        -retry_after_ms; otherwise -retry_after_ms, reset_after_ms, remaining. (One integer costs half as much as
--        three.) nil if this script cannot decide: it has written nothing, and decide.lua decides.
-- Errors if ARGV is wrong, or the key holds something other than a counter; then nothing has been written.
-- Example 5 60000 1, with a key that does not exist: 4 * 60001 + 60000 = 300004.
local call, find, sub, key, count, time_ms, cost = redis.call, string.find, string.sub, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not find(count .. "," .. time_ms .. "," .. cost, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, room, left = time[1] * 1000 + math.floor(time[2] / 1000), count + 0, 0
if state then
  if #state < 12 or #state > 19 or #state == 19 and state > "92" or not find(state, "^[1-9]%d*$") then return nil end
  local ends = state % ERA
  room = count - (state - ends) / ERA
  if #state > 15 then room, ends = count - sub(state, 1, -12), sub(state, -11) - 0 end -- above 2^53
  left = ends - now % ERA
  if left > 85000000000 then left = left - ERA elseif left < -15000000000 then left = left + ERA end
end
if left <= 0 then
  call("SET", key, cost .. string.format("%011.0f", (now + time_ms) % ERA), "PX", time_ms)
  return (count - cost) * (time_ms + 1) + time_ms
end
if room - cost < 0 then
  if room <= 0 then return -left end
  return { -left, left, room }
end
if left - time_ms > 0 then return nil end -- the limit has changed
call("INCRBY", key, cost .. "00000000000")
return (room - cost) * (time_ms + 1) + left
