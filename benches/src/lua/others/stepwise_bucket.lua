-- The token bucket of most tutorials: a hash with the tokens and the time of the last refill, refilled in whole steps.
-- ARGV: capacity, tokens per step, ms per step, cost
local capacity, tokens_per_step, step_ms, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call("HMGET", KEYS[1], "tokens", "refilled")
local tokens, refilled = tonumber(bucket[1]) or capacity, tonumber(bucket[2]) or now
local steps = math.floor((now - refilled) / step_ms)
if steps > 0 then
  tokens = math.min(capacity, tokens + steps * tokens_per_step)
  refilled = refilled + steps * step_ms
end
local passes = tokens >= cost
if passes then tokens = tokens - cost end
redis.call("HSET", KEYS[1], "tokens", tokens, "refilled", string.format("%.0f", refilled))
redis.call("PEXPIRE", KEYS[1], math.ceil(capacity / tokens_per_step) * step_ms)
return { passes and 1 or 0, tokens }
