-- single/sliding_window: decides a single request of a sliding window in mode check. A short script for the common case.
--
-- The state is that of sliding_window.lua, which explains it, as text of the short form (head.lua).
-- KEYS   one.
-- ARGV   count, time_ms, cost: decimal integers, 1 <= cost <= count < 1000, time_ms <= 5 * 10^9. There is no wait.
-- Reply  if the request passes: remaining * (2 time_ms + 1) + reset_after_ms; if it is refused: -retry_after_ms,
--        reset_after_ms, remaining. nil if this script cannot decide: it has written nothing, and decide.lua decides.
-- Errors if ARGV is wrong, or the key holds something other than a window; then nothing has been written.
local call, find, sub, key, count, time_ms, cost = redis.call, string.find, string.sub, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not find(count .. "," .. time_ms .. "," .. cost, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
time_ms = time_ms + 0
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, previous, current, ends_in, is_current = time[1] * 1000 + math.floor(time[2] / 1000), 0, 0, time_ms, false
if state then
  if #state < 12 or #state > 19 or #state == 19 and state > "92" or not find(state, "^[1-9]%d*$") then return nil end
  local ahead = state % ERA
  local high = (state - ahead) / ERA
  if #state > 15 then high, ahead = sub(state, 1, -12) - 0, sub(state, -11) - 0 end -- above 2^53
  ahead = ahead - now % ERA
  if ahead > 85000000000 then ahead = ahead - ERA elseif ahead < -15000000000 then ahead = ahead + ERA end
  if ahead > time_ms then
    previous, ends_in, is_current = high % 1000, ahead - time_ms, true
    current = (high - previous) / 1000
    if ends_in > time_ms then return nil end -- the limit or the clock has changed
  elseif ahead > 0 then
    previous, ends_in = (high - high % 1000) / 1000, ahead
  end
end
local room = count - current - math.ceil(previous * ends_in / time_ms)
if room - cost < 0 then
  local free, wait = count - current - cost
  if free >= 0 then
    wait = ends_in - math.floor(free * time_ms / previous)
  else
    local covered = math.floor((count - cost) * time_ms / current)
    wait = ends_in + time_ms - (covered < time_ms and covered or time_ms)
  end
  return { -wait, is_current and ends_in + time_ms or ends_in, room > 0 and room or 0 }
end
local reset = ends_in + time_ms
if is_current then
  call("INCRBY", key, cost .. "00000000000000")
elseif previous > 999 then
  return nil
else
  call("SET", key, string.format("%.0f%011.0f", cost * 1000 + previous, (now + reset) % ERA), "PX", reset)
end
return (room - cost) * (2 * time_ms + 1) + reset
