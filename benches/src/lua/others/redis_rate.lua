-- GCRA of go-redis/redis_rate, rewritten. It stores the time at which nothing is in use, in seconds since 2017 as a floating
-- point number, with a TTL in whole seconds. The reply contains floating point numbers as text.
-- ARGV: burst, rate, period in seconds, cost
redis.replicate_commands()
local cost = tonumber(ARGV[4])
local interval = ARGV[3] / ARGV[2]
local time = redis.call("TIME")
local now = time[1] - 1483228800 + time[2] / 1000000
local free_at = redis.call("GET", KEYS[1])
free_at = math.max(free_at and tonumber(free_at) or now, now)
local next_free_at = free_at + interval * cost
local headroom = now - (next_free_at - interval * ARGV[1])
local remaining = math.floor(headroom / interval + 0.5)
if remaining < 0 then return { 0, 0, tostring(-headroom), tostring(free_at - now) } end
local reset_after = next_free_at - now
redis.call("SET", KEYS[1], next_free_at, "EX", math.ceil(reset_after))
return { cost, remaining, tostring(-1), tostring(reset_after) }
