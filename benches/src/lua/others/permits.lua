-- The usual way to limit concurrency: a sorted set of permits with the ends of their leases. It uses the server's clock.
-- ARGV: limit, lease in ms, id
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
local held = redis.call("ZCARD", KEYS[1])
if held >= tonumber(ARGV[1]) then return { 0, 0, 0 } end
redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[3])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return { 1, ARGV[1] - held - 1, tonumber(ARGV[2]) }
