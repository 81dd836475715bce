-- The counter of most tutorials, with a complete reply: the number of calls, and the time until the window ends.
local used = redis.call("INCR", KEYS[1])
if used == 1 then redis.call("EXPIRE", KEYS[1], ARGV[1]) end
return { used, redis.call("PTTL", KEYS[1]) }
