-- single/sliding_log: decides a single request for one unit of a sliding log (sliding_log.lua) in mode check.
--
-- KEYS   one.
-- ARGV   count, time_ms: positive integers. There is no wait, and the cost is 1.
-- Reply  if the request passes: remaining. If it passes after the clock has stepped back, the unit counts for longer than
--        time_ms: remaining, reset_after_ms. If it is refused: -retry_after_ms, reset_after_ms, remaining.
-- Errors if ARGV is wrong, or the key holds something other than a log. In this case, nothing has been written.
local call, ceil, key, count, time_ms = redis.call, math.ceil, KEYS[1], ARGV[1] + 0, ARGV[2] + 0
if not (count >= 1 and time_ms >= 1 and count % 1 + time_ms % 1 == 0) then
  return redis.error_reply("ERR ratelimit: expected positive integers")
end
local time, window, newest = call("TIME"), time_ms * 1000, call("LINDEX", key, -1)
local now, live = time[1] * 1000000 + time[2], 0
if newest then
  local start, length, expired = now - window, call("LLEN", key), 0
  if newest - start > 0 then
    if call("LINDEX", key, 0) - start <= 0 then
      local low, high = 1, length
      while low < high do
        local middle = math.floor((low + high) / 2)
        if call("LINDEX", key, middle) - start <= 0 then low = middle + 1 else high = middle end
      end
      expired = low
    end
    live = length - expired
    if live >= count then
      local fits_at = call("LINDEX", key, -count) + window
      return { -ceil((fits_at - now) / 1000), ceil((newest + window - now) / 1000), 0 }
    end
  else
    expired, newest = length, nil
  end
  if expired > 0 then call("LTRIM", key, expired, -1) end
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
