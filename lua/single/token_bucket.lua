-- single/token_bucket: decides a single request of a continuous token bucket (token_bucket.lua), or of a leaky bucket as a
-- meter, in mode check.
--
-- KEYS   one, with a state of the short form (head.lua). If callers share the bucket, then the two hashes of the shares (fair.lua).
-- ARGV   count, time_ms, burst, cost: positive integers, cost <= burst <= 2.7 * 10^6; count and time_ms without a common
--        divisor. There is no wait. If callers share the bucket, then the most units that a caller leaves to the others. This
--        script decides only while these units are free after the call, so that it needs to know neither the caller nor the shares.
-- Reply  one integer, in grains (1/time_ms units), from which the client computes the decision. If the integer is 0 or more,
--        the request passes, and the integer is the room that is left. If it is negative, the request is refused because this
--        many grains are missing. If this script cannot decide: nil. Then it has written nothing, and decide.lua decides.
-- Errors if ARGV is wrong, or the key does not hold a string. In this case, nothing has been written.
local call, floor, key = redis.call, math.floor, KEYS[1]
local count, time_ms, burst, cost = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0
if not (count >= 1 and time_ms >= 1 and burst >= 1 and cost >= 1
  and count % 1 + time_ms % 1 + burst % 1 + cost % 1 == 0) then
  return redis.error_reply("ERR ratelimit: expected positive integers")
end
local state, time, ERA = call("GET", key), call("TIME"), 100000000000
local now, units, tag, elapsed, level = time[1] * 1000 + floor(time[2] / 1000), 0, nil, 0, 0
if state then
  if #state > 18 and (#state > 19 or state > "92") or not string.find(state, "^[1-9]%d*$") then return nil end
  local number = state - 0
  local ahead = number % ERA
  local high = floor(number / ERA)
  if #state > 15 then high, ahead = string.sub(state, 1, -12) - 0, string.sub(state, -11) - 0 end -- above 2^53
  tag, elapsed = high % 34, 15000000000 - (ahead - now + 15000000000) % ERA
  units = floor(high / 34)
  level = units * time_ms - elapsed * count
  if level < 0 then level = 0 end
end
local room = (burst - cost) * time_ms - level
local most = ARGV[5]
if most and room < most * time_ms then return nil end
if room < 0 then return room end
local capacity, after = burst * time_ms, level + cost * time_ms
local lives = 2 * (capacity + -capacity % count) / count + 1000
local own_tag = floor(math.log(lives + 1) * 1.4426950408889634)
local own_life, anchor, reset = 2 ^ own_tag, now - elapsed, (after + -after % count) / count
units = units + cost
if units > 2700000 then return nil end
if level > 0 and tag == own_tag and reset <= own_life - elapsed then
  call("INCRBY", key, cost == 1 and "3400000000000" or string.format("%.0f00000000000", cost * 34))
  return room
end
if level == 0 then
  units, anchor = cost, now
elseif elapsed > 0 then
  local periods = floor(elapsed / time_ms)
  units, anchor = units - periods * count, anchor + periods * time_ms
end
local ttl = anchor + own_life - now
if ttl < reset then own_tag, ttl = 0, reset end
call("SET", key, string.format("%.0f%011.0f", units * 34 + own_tag, anchor % ERA), "PX", string.format("%.0f", ttl))
if most and level == 0 then call("DEL", KEYS[2], KEYS[3]) end -- after the write that a server may refuse
return room
