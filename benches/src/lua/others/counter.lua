-- The counter of most tutorials: one more, and a TTL for the first.
local used = redis.call("INCR", KEYS[1])
if used == 1 then redis.call("EXPIRE", KEYS[1], ARGV[1]) end
return used
