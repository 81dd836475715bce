-- one/sliding_log: sliding_log.lua for one unit in mode check, in a script of its own on the same state.
--
-- KEYS   one.
-- ARGV   count, time_ms: decimal integers, count >= 1. Without a wait; the cost is 1.
-- Reply  remaining where it passes, and counts for time_ms; remaining, reset_after_ms where it counts for longer, since the
--        clock has stepped back; -retry_after_ms, reset_after_ms, remaining where it is refused.
-- Errors What is wrong with ARGV, and whatever is found that is no log; nothing has been written then.
local call, ceil, key, count, time_ms = redis.call, math.ceil, KEYS[1], ARGV[1], ARGV[2]
if not string.find(count .. "," .. time_ms, "^%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected integers")
end
local time, window, newest = call("TIME"), time_ms * 1000, call("LINDEX", key, -1)
local now, live = time[1] * 1000000 + time[2], 0
if newest then
  local start, length, dead = now - window, call("LLEN", key), 0
  if newest - start > 0 then
    if call("LINDEX", key, 0) - start <= 0 then
      local low, high = 1, length
      while low < high do
        local middle = math.floor((low + high) / 2)
        if call("LINDEX", key, middle) - start <= 0 then low = middle + 1 else high = middle end
      end
      dead = low
    end
    live = length - dead
    if live - count >= 0 then
      local passes = call("LINDEX", key, -count) + window
      return { -ceil((passes - now) / 1000), ceil((newest + window - now) / 1000), 0 }
    end
  else
    dead, newest = length, nil
  end
  if dead > 0 then call("LTRIM", key, dead, -1) end
end
if newest and newest - now > 0 then
  local reset = ceil((newest + window - now) / 1000)
  call("RPUSH", key, newest)
  call("PEXPIRE", key, reset + 1000)
  return { count - live - 1, reset }
end
call("RPUSH", key, string.format("%.0f", now))
call("PEXPIRE", key, time_ms + 1000)
return count - live - 1
