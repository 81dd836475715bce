-- head: the names that all parts of the scripts `decide` and `adjust` share.
--
-- Each of the two scripts is one text: head.lua, each algorithm as a function in `modules`, and a driver (decide.lua
-- or adjust.lua), in this order. An algorithm is a chunk that ends in `return judge, charge, give`. In all three,
-- `burst` is the capacity of the limit; for concurrency, it is the id of the permit.
--
--   judge(key, cost, count, time_ms, burst, wait_ms) -> wait, room, reset, state1, state2, state3, state4
--     Reads the state and writes nothing.
--     wait   0 if the cost fits now; else the time in ms until its turn, if no other call comes. NEVER if the cost is
--            above what the limit can hold. FOREIGN if the key holds a value that no limit has written.
--     room   the units that are free now; negative in debt.
--     reset  the time in ms until nothing is in use.
--     state1 to state4  what judge has read and charge needs; the meaning depends on the algorithm.
--   charge(key, cost, count, time_ms, burst, wait_ms, wait, state1, state2, state3, state4) -> reset, stamp
--     Takes the cost for the turn in `wait` ms. Afterwards the key has a TTL. The stamp finds this charge again in
--     `give`; if charge returns none, the stamp is the time at which nothing will be in use. Returns nil, and changes
--     nothing, if the server does not accept the key's value as an integer.
--   give(key, units, count, time_ms, burst, wait_ms, stamp, now) -> units given back
--     Gives back at most `units` units of the charge with this stamp. Returns 0 if the charge is no longer in the
--     state. now: the server's time in ms.

-- Every request of a batch uses these names, and locals are faster than globals.
local call, try_call, floor, ceil, type = redis.call, redis.pcall, math.floor, math.ceil, type
local NEVER = 9007199254740991   -- 2^53 - 1: the largest integer that Lua and the reply both represent exactly
local FOREIGN = 9007199254740990 -- 2^53 - 2
local modules = {}

-- Integers as text, for arguments of commands. Without this, the server would format a number with 17 digits, which
-- costs about as much as a command.
local digits = setmetatable({}, {
  __index = function(cache, number)
    cache[number] = string.format("%.0f", number)
    return cache[number]
  end,
})

-- Reads an integer and its TTL -> ttl, value. Both are 0 if the key does not exist or has expired. The value is nil if
-- it is foreign, which is anything but an integer from 0 to 2^53 - 1 (NaN fails the last comparison). A key that has
-- lost its TTL counts as expired, and the next charge writes it again with a TTL.
local function read(key)
  local ttl = call("PTTL", key)
  if ttl == -2 then return 0, 0 end
  local value = tonumber(try_call("GET", key) or 0)
  if not value or value < 0 or value > NEVER or value % 1 ~= 0 then return ttl, nil end
  if ttl <= 0 then return 0, 0 end
  return ttl, value
end

-- Adds units, which may be negative, to a value that `read` has accepted -> whether the server accepts it too. Lua
-- also reads `1e3`, `5.0` and `0x10` as integers, but INCRBY does not. Such a key must not end the script, because
-- other requests of the call are charged already.
local function add(key, units)
  local sum = try_call("INCRBY", key, digits[units])
  if type(sum) == "number" then return true end
  if string.find(sum.err, "not an integer", 1, true) then return false end
  call("INCRBY", key, digits[units]) -- out of memory, or no permission: fails again, and the error ends the script
  return true
end

-- Whether two times that were computed in two calls are the same. Before Redis 7.2 the clock advances while a script
-- runs, so they may differ by up to 2 ms. Times that the limit must tell apart differ by at least `apart` ms.
local function same(first, second, apart)
  local slack = apart < 3 and apart - 1 or 2
  return first - second <= slack and second - first <= slack
end

local function wrong(what)
  error("ratelimit: " .. what, 0)
end

-- Lua would accept hexadecimal numbers. No valid argument contains an x.
if string.find(table.concat(ARGV, " "), "[xX]") then wrong("expected decimal integers") end

-- ARGV[index] as an integer. NaN fails each comparison.
local function integer(index)
  local number = ARGV[index] + 0
  if number >= 0 and number < NEVER and number % 1 == 0 then return number end
  wrong("expected integers from 0 to 2^53 - 2")
end
