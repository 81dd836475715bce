-- The counter of most tutorials, with all that a decision answers: what is used, and until when.
local used = redis.call("INCR", KEYS[1])
if used == 1 then redis.call("EXPIRE", KEYS[1], ARGV[1]) end
return { used, redis.call("PTTL", KEYS[1]) }
