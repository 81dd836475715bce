-- head: names that every part of the composed script shares.
--
-- The script is head.lua, each algorithm as a function in `modules`, and the driver decide.lua, in this
-- order, in one text. An algorithm is a chunk that ends in `return judge, charge`:
--
--   judge(key, cost, count, time_ms, burst) -> wait_ms, remaining, reset_after_ms, a, b, c
--     Reads, and writes nothing. wait_ms: 0 when the cost fits now, else how long until it does if nobody
--     else comes; NEVER when it is above what the limit can hold; FOREIGN when the key holds something that
--     no limit has written. remaining: units free now. reset_after_ms: until nothing is in use.
--     a, b, c: what judge has read, for charge.
--   charge(key, cost, count, time_ms, burst, a, b, c) -> reset_after_ms
--     Takes the cost that judge let pass, and leaves the key with a TTL.
local call, floor, ceil = redis.call, math.floor, math.ceil
local NEVER = 9007199254740991   -- 2^53 - 1: the largest integer that Lua and the reply both keep exactly
local FOREIGN = 9007199254740990 -- 2^53 - 2
local modules = {}

-- -> ttl_ms, value: 0, 0 where nothing is alive, and value nil where the key holds something foreign.
-- A key that has lost its TTL counts as expired: the next charge writes it anew, with one.
local function read(key)
  local ttl = call("PTTL", key)
  if ttl == -2 then return 0, 0 end
  local value = tonumber(redis.pcall("GET", key) or 0)
  if value and ttl <= 0 then return 0, 0 end
  return ttl, value
end
