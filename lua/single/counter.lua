-- single/counter: decides a single request of a counter in mode check. A short script for the most common case.
--
-- The state is that of counter.lua, which explains it.
-- KEYS   one.
-- ARGV   count, time_ms, cost: decimal integers, 1 <= cost <= count, count * (time_ms + 1) < 2^53. There is no wait.
-- Reply  if the request passes: remaining * (time_ms + 1) + reset_after_ms; if it is refused and nothing remains:
--        -retry_after_ms; otherwise -retry_after_ms, reset_after_ms, remaining. (One integer costs half as much as
--        three.)
-- Errors if ARGV is wrong, or the key holds something other than a counter; then nothing has been written.
-- Example 5 60000 1, with a key that does not exist: 4 * 60001 + 60000 = 300004.
local call, key, count, time_ms, cost = redis.call, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not string.find(count .. "," .. time_ms .. "," .. cost, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected decimal integers")
end
local used, ttl = call("GET", key), 0
local room = count - (used or 0)
if used then
  ttl = call("PTTL", key)
  if room % 1 ~= 0 or room > count + 0 or room < -4503599627370496 then
    return redis.error_reply("ERR ratelimit: not a counter")
  end
end
if ttl <= 0 then
  call("SET", key, cost, "PX", time_ms)
  return (count - cost) * (time_ms + 1) + time_ms
end
if room - cost < 0 then
  if room <= 0 then return -ttl end
  return { -ttl, ttl, room }
end
call("INCRBY", key, cost)
if ttl - time_ms > 0 then
  call("PEXPIRE", key, time_ms)
  ttl = time_ms
end
return (room - cost) * (time_ms + 1) + ttl
