-- single/concurrency: decides a single request for one permit (concurrency.lua) in mode check or charge.
--
-- KEYS   one.
-- ARGV   count, time_ms, id: positive integers. There is no wait, and the cost is 1.
-- Reply  if the request passes: remaining. If it passes and another lease ends later than the new lease: remaining,
--        reset_after_ms. If the request is refused: -retry_after_ms, reset_after_ms, remaining. If a permit of more than one
--        unit is stored: nil. Then this script has written nothing, and `decide` decides.
-- Errors if ARGV is wrong, or the key holds something other than permits. In this case, nothing has been written.
local call, key, count, time_ms, id = redis.call, KEYS[1], ARGV[1] + 0, ARGV[2] + 0, ARGV[3]
if not (count >= 1 and time_ms >= 1 and count % 1 + time_ms % 1 == 0 and string.find(id, "^%d+$")) then
  return redis.error_reply("ERR ratelimit: expected positive integers")
end
local time, last_end = call("TIME"), call("ZRANGE", key, -1, -1, "WITHSCORES")[2]
local now, held = time[1] * 1000 + math.floor(time[2] / 1000), 0
local reset = last_end and last_end - now
if reset then
  if last_end - 17592186044416 >= 0 then return nil end -- 2^44
  if reset > 0 then held = call("ZCOUNT", key, now + 1, "+inf") end
  if held >= count then
    local first = call("ZRANGEBYSCORE", key, now + 1, "+inf", "WITHSCORES", "LIMIT", 0, 1)[2]
    return { now - first, reset, 0 }
  end
  call("ZREMRANGEBYSCORE", key, 0, now)
end
call("ZADD", key, now + time_ms, id)
if reset and reset > time_ms then
  call("PEXPIRE", key, reset + 1000)
  return { count - held - 1, reset }
end
call("PEXPIRE", key, time_ms + 1000)
return count - held - 1
