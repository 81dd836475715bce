-- single/counter: decides a single request of a counter (counter.lua) in mode check.
--
-- KEYS   one, with a state of the short form (head.lua).
-- ARGV   count, time_ms, cost: positive integers, cost <= count < 9.2 * 10^7, time_ms <= 10^10. There is no wait.
-- Reply  if the request passes: remaining * (time_ms + 1) + reset_after_ms. If it is refused and nothing remains:
--        -retry_after_ms. If it is refused and units remain: -retry_after_ms, reset_after_ms, remaining. (A reply of one
--        integer costs half as much as a reply of three.) If this script cannot decide: nil. Then it has written nothing,
--        and decide.lua decides.
-- Errors if ARGV is wrong, or the key does not hold a string. In this case, nothing has been written.
-- Example 5 60000 1, with a key that does not exist: 4 * 60001 + 60000 = 300004.
local call, floor, key, count, time_ms, cost = redis.call, math.floor, KEYS[1], ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
if not (count >= 1 and time_ms >= 1 and cost >= 1 and count % 1 + time_ms % 1 + cost % 1 == 0) then
  return redis.error_reply("ERR ratelimit: expected positive integers")
end
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, room, left = time[1] * 1000 + floor(time[2] / 1000), count, 0
if state then
  if #state > 18 and (#state > 19 or state > "92") or not string.find(state, "^[1-9]%d*$") then return nil end
  local number = state - 0
  local ends = number % ERA
  room = count - floor(number / ERA)
  if #state > 15 then room, ends = count - string.sub(state, 1, -12), string.sub(state, -11) - 0 end -- above 2^53
  left = (ends - now + 15000000000) % ERA - 15000000000
end
if left <= 0 then
  call("SET", key, string.format("%.0f%011.0f", cost, (now + time_ms) % ERA), "PX", ARGV[2])
  return (count - cost) * (time_ms + 1) + time_ms
end
if cost > room then
  if room <= 0 then return -left end
  return { -left, left, room }
end
if left > time_ms then return nil end -- the limit has changed
call("INCRBY", key, ARGV[3] .. "00000000000")
return (room - cost) * (time_ms + 1) + left
