-- single/sliding_window: decides a single request of a sliding window in mode check. A short script for the common case.
--
-- The state is that of sliding_window.lua, which explains it, in the narrow form of head.lua.
-- KEYS   one.
-- ARGV   count, time_ms, cost: decimal integers, 1 <= cost <= count < 1000, time_ms <= 10^9. There is no wait.
-- Reply  if the request passes: remaining * (2 time_ms + 1) + reset_after_ms; if it is refused: -retry_after_ms,
--        reset_after_ms, remaining.
-- Errors if ARGV is wrong, or the key holds something other than a sliding window in the narrow form; then nothing has
--        been written, and decide.lua decides.
local call, find, ceil, key, count, time_ms, cost = redis.call, string.find, math.ceil, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not find(count .. "," .. time_ms .. "," .. cost, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
time_ms = time_ms + 0
local state, time = call("GET", key), call("TIME")
local now, previous, current, ends_in, stored = time[1] * 1000 + math.floor(time[2] / 1000), 0, 0, time_ms, false
if state then
  local number = state - 0
  local ends = number % 100000000000
  if number >= 9007199254740992 then ends, number = string.sub(state, -11) - 0, string.sub(state, 1, -12) * 100000000000 end
  local high, ttl = (number - number % 100000000000) / 100000000000, ends - now % 100000000000
  if ttl > 85000000000 then ttl = ttl - 100000000000 elseif ttl < -15000000000 then ttl = ttl + 100000000000 end
  if #state > 19 or not find(state, "^[1-9]%d*$") then return redis.error_reply("ERR ratelimit: not a sliding window") end
  local older = high % 1000
  if ttl > time_ms then
    previous, current, ends_in, stored = older, (high - older) / 1000, ttl - time_ms, true
  elseif ttl > 0 then
    previous, ends_in = (high - older) / 1000, ttl
  end
end
local covered = ends_in < time_ms and ends_in or time_ms
local room = count - current - ceil(previous * covered / time_ms)
if room - cost < 0 then
  local free, wait = count - current - cost
  if free >= 0 then
    wait = ends_in - math.floor(free * time_ms / previous)
  else
    local could_cover = math.floor((count - cost) * time_ms / current)
    wait = ends_in + time_ms - (could_cover < time_ms and could_cover or time_ms)
  end
  return { -wait, stored and ends_in + time_ms or ends_in, room > 0 and room or 0 }
end
if stored and ends_in <= time_ms then
  call("INCRBY", key, cost .. "00000000000000")
elseif previous > 999 then
  return redis.error_reply("ERR ratelimit: too many units")
else
  ends_in = covered
  local reset, high = covered + time_ms, (current + cost) * 1000 + previous
  call("SET", key, string.format("%.0f%011.0f", high, (now + reset) % 100000000000), "PX", reset)
end
return (room - cost) * (2 * time_ms + 1) + ends_in + time_ms
