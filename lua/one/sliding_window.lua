-- one/sliding_window: sliding_window.lua for one request of mode check, in a script of its own on the same state.
--
-- KEYS   one.
-- ARGV   count, time_ms, cost: decimal integers, 1 <= cost <= count. Without a wait.
-- Reply  remaining * (2 time_ms + 1) + reset_after_ms where it passes; -retry_after_ms, reset_after_ms, remaining where
--        it is refused.
-- Errors What is wrong with ARGV, and whatever is found that is no state of a window; nothing has been written then.
local call, ceil, key, count, time_ms, cost = redis.call, math.ceil, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not string.find(count .. "," .. time_ms .. "," .. cost, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected integers")
end
time_ms = time_ms + 0
local ttl, previous, current, ends, kept = call("PTTL", key), 0, 0, time_ms, false
if ttl ~= -2 then
  local state = call("GET", key)
  local last = state % 67108864
  local older = (state - last) / 67108864
  if last % 1 ~= 0 or older < 0 or older >= 67108864 then
    return redis.error_reply("ERR ratelimit: not a sliding window")
  end
  if ttl > time_ms then
    previous, current, ends, kept = older, last, ttl - time_ms, true
  elseif ttl > 0 then
    previous, ends = last, ttl
  end
end
local covered = ends < time_ms and ends or time_ms
local room = count - current - ceil(previous * covered / time_ms)
if room - cost < 0 then
  local free, wait = count - current - cost
  if free >= 0 then
    wait = ends - math.floor(free * time_ms / previous)
  else
    local covers = math.floor((count - cost) * time_ms / current)
    wait = ends + time_ms - (covers < time_ms and covers or time_ms)
  end
  return { -wait, ttl, room > 0 and room or 0 }
end
if kept and ends <= time_ms then
  call("INCRBY", key, cost)
else
  ends = covered
  call("SET", key, string.format("%.0f", previous * 67108864 + current + cost), "PX", ends + time_ms)
end
return (room - cost) * (2 * time_ms + 1) + ends + time_ms
