-- one/concurrency: concurrency.lua for one permit in mode check or charge, in a script of its own on the same state.
--
-- KEYS   one.
-- ARGV   count, time_ms, id: decimal integers, count >= 1. Without a wait; the cost is 1.
-- Reply  remaining where it passes, and no lease lasts longer than time_ms; remaining, reset_after_ms where one does;
--        -retry_after_ms, reset_after_ms, remaining where it is refused.
-- Errors What is wrong with ARGV, and whatever is found that holds no permits; nothing has been written then.
local call, key, count, time_ms, id = redis.call, KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if not string.find(count .. "," .. time_ms .. "," .. id, "^%d+,%d+,%d+$") then
  return redis.error_reply("ERR ratelimit: expected integers")
end
local time, last = call("TIME"), call("ZRANGE", key, -1, -1, "WITHSCORES")[2]
local now, held = time[1] * 1000 + math.floor(time[2] / 1000), 0
if last then
  last = last - now
  if last > 0 then held = call("ZCOUNT", key, now + 1, "+inf") end
  if held - count >= 0 then
    local first = call("ZRANGEBYSCORE", key, now + 1, "+inf", "WITHSCORES", "LIMIT", 0, 1)[2]
    return { now - first, last, 0 }
  end
  call("ZREMRANGEBYSCORE", key, 0, now)
end
call("ZADD", key, now + time_ms, id)
if last and last - time_ms > 0 then
  call("PEXPIRE", key, last + 1000)
  return { count - held - 1, last }
end
call("PEXPIRE", key, time_ms + 1000)
return count - held - 1
