-- The counter of most tutorials: increments a key, and sets its TTL at the first call.
local used = redis.call("INCR", KEYS[1])
if used == 1 then redis.call("EXPIRE", KEYS[1], ARGV[1]) end
return used
