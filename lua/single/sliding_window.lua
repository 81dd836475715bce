-- single/sliding_window: decides a single request of a sliding window in mode check. A short script for the common case.
--
-- The state is that of sliding_window.lua, which explains it.
-- KEYS   one.
-- ARGV   count, time_ms, cost: decimal integers, 1 <= cost <= count. There is no wait.
-- Reply  if the request passes: remaining * (2 time_ms + 1) + reset_after_ms; if it is refused: -retry_after_ms,
--        reset_after_ms, remaining.
-- Errors if ARGV is wrong, or the key holds something other than a sliding window; then nothing has been written.
local call, ceil, key, count, time_ms, cost = redis.call, math.ceil, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not string.find(count .. "," .. time_ms .. "," .. cost, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
time_ms = time_ms + 0
local ttl, previous, current, ends_in, stored = call("PTTL", key), 0, 0, time_ms, false
if ttl ~= -2 then
  local state = call("GET", key)
  local newer = state % 67108864
  local older = (state - newer) / 67108864
  if newer % 1 ~= 0 or older < 0 or older >= 67108864 then
    return redis.error_reply("ERR ratelimit: not a sliding window")
  end
  if ttl > time_ms then
    previous, current, ends_in, stored = older, newer, ttl - time_ms, true
  elseif ttl > 0 then
    previous, ends_in = newer, ttl
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
  return { -wait, ttl, room > 0 and room or 0 }
end
if stored and ends_in <= time_ms then
  call("INCRBY", key, cost)
else
  ends_in = covered
  call("SET", key, string.format("%.0f", previous * 67108864 + current + cost), "PX", ends_in + time_ms)
end
return (room - cost) * (2 * time_ms + 1) + ends_in + time_ms
