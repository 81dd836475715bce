-- The moving window of Python's limits, rewritten. It stores a list of timestamps of the caller's clock, newest first.
-- ARGV: now in seconds, limit, window in seconds, cost
local now, limit, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local oldest = redis.call("LINDEX", KEYS[1], limit - cost)
if oldest and tonumber(oldest) >= now - window then return false end
local timestamps = {}
for i = 1, cost do timestamps[i] = now end
redis.call("LPUSH", KEYS[1], unpack(timestamps))
redis.call("LTRIM", KEYS[1], 0, limit - 1)
redis.call("EXPIRE", KEYS[1], window)
return true
