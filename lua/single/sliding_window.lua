-- single/sliding_window: decides a single request of a sliding window (sliding_window.lua) in mode check.
--
-- KEYS   one, with a state of the short form (head.lua).
-- ARGV   count, time_ms, cost: positive integers, cost <= count < 1000, time_ms <= 5 * 10^9. There is no wait.
-- Reply  if the request passes: remaining * (2 time_ms + 1) + reset_after_ms. If it is refused: -retry_after_ms,
--        reset_after_ms, remaining. If this script cannot decide: nil. Then it has written nothing, and decide.lua decides.
-- Errors if ARGV is wrong, or the key does not hold a string. In this case, nothing has been written.
local call, floor, key, count, time_ms, cost = redis.call, math.floor, KEYS[1], ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
if not (count >= 1 and time_ms >= 1 and cost >= 1 and count % 1 + time_ms % 1 + cost % 1 == 0) then
  return redis.error_reply("ERR ratelimit: expected positive integers")
end
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, previous, current, ends_in, is_current = time[1] * 1000 + floor(time[2] / 1000), 0, 0, time_ms, false
if state then
  if #state > 18 and (#state > 19 or state > "92") or not string.find(state, "^[1-9]%d*$") then return nil end
  local number = state - 0
  local ahead = number % ERA
  local high = floor(number / ERA)
  if #state > 15 then high, ahead = string.sub(state, 1, -12) - 0, string.sub(state, -11) - 0 end -- above 2^53
  ahead = (ahead - now + 15000000000) % ERA - 15000000000
  if ahead > time_ms then
    previous, ends_in, is_current = high % 1000, ahead - time_ms, true
    current = floor(high / 1000)
    if ends_in > time_ms then return nil end -- the limit or the clock has changed
  elseif ahead > 0 then
    previous, ends_in = floor(high / 1000), ahead
  end
end
local seen, reset = previous * ends_in, ends_in + time_ms
local room = count - current - floor((seen + -seen % time_ms) / time_ms)
if cost > room then
  local free, wait = count - current - cost, nil
  if free >= 0 then
    wait = ends_in - floor(free * time_ms / previous)
  else
    local covered = floor((count - cost) * time_ms / current)
    wait = reset - (covered < time_ms and covered or time_ms)
  end
  return { -wait, is_current and reset or ends_in, room > 0 and room or 0 }
end
if is_current then
  call("INCRBY", key, ARGV[3] .. "00000000000000")
elseif previous > 999 then
  return nil
else
  call("SET", key, string.format("%.0f%011.0f", cost * 1000 + previous, (now + reset) % ERA), "PX", reset)
end
return (room - cost) * (2 * time_ms + 1) + reset
