-- The moving window as Python's limits does it, written anew: a list of moments, newest first, the caller's clock.
-- ARGV: now in seconds, limit, window in seconds, cost
local now, limit, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local oldest = redis.call("LINDEX", KEYS[1], limit - cost)
if oldest and tonumber(oldest) >= now - window then return false end
local moments = {}
for i = 1, cost do moments[i] = now end
redis.call("LPUSH", KEYS[1], unpack(moments))
redis.call("LTRIM", KEYS[1], 0, limit - 1)
redis.call("EXPIRE", KEYS[1], window)
return true
