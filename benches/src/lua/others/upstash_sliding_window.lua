-- The sliding window of upstash's ratelimit, rewritten. It has one counter for each cell of time, and uses the caller's
-- clock.
-- KEYS: the current cell, the one before it.   ARGV: limit, now in ms, window in ms, cost
local limit, cost = tonumber(ARGV[1]), tonumber(ARGV[4])
local current = redis.call("GET", KEYS[1]) or 0
local previous = redis.call("GET", KEYS[2]) or 0
local passed = ARGV[2] % ARGV[3] / ARGV[3]
previous = math.floor((1 - passed) * previous)
if current + previous >= limit then return { -1, limit } end
local used = redis.call("INCRBY", KEYS[1], cost)
if used == cost then redis.call("PEXPIRE", KEYS[1], ARGV[3] * 2 + 1000) end
return { limit - used - previous, limit }
