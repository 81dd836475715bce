-- head: names that every part of the composed scripts shares.
--
-- A script is head.lua, each algorithm as a function in `modules`, and a driver (decide.lua, adjust.lua), in this
-- order, in one text. An algorithm is a chunk that ends in `return judge, charge, give`:
--
--   judge(key, cost, count, time_ms, burst, wait_ms) -> wait_ms, room, reset_after_ms, a, b, c, d
--     Reads, and writes nothing. wait_ms: 0 when the cost fits now, else how long until its turn if nobody
--     else comes; NEVER when it is above what the limit can hold; FOREIGN when the key holds something that
--     no limit has written. room: units free now, below zero in debt. reset_after_ms: until nothing is in use.
--     a, b, c, d: what judge has read, for charge.
--   charge(key, cost, count, time_ms, burst, wait_ms, wait, a, b, c, d) -> reset_after_ms, stamp
--     Takes the cost for the turn in `wait` ms, and leaves the key with a TTL. The stamp is what give needs to
--     find this charge again; where there is none, it is the moment at which nothing would be in use any more.
--     Returns nil, and changes nothing, when the server does not accept the key's value as an integer.
--   give(key, units, count, time_ms, burst, wait_ms, stamp, now) -> units given back
--     Gives back up to so many units of the charge with this stamp; 0 when it is void. now: the server's ms.
-- Locals are cheaper than globals, and every request of a batch passes here.
local call, attempt, floor, ceil, type = redis.call, redis.pcall, math.floor, math.ceil, type
local NEVER = 9007199254740991   -- 2^53 - 1: the largest integer that Lua and the reply both keep exactly
local FOREIGN = 9007199254740990 -- 2^53 - 2
local modules = {}

-- Integers as the commands take them. The server would print a number with 17 digits, at the price of a command.
local digits = setmetatable({}, {
  __index = function(known, number)
    known[number] = string.format("%.0f", number)
    return known[number]
  end,
})

-- -> ttl_ms, value: 0, 0 where nothing is alive, and value nil where the key holds something foreign: anything but an
-- integer from 0 to 2^53 - 1. NaN fails the last test.
-- A key that has lost its TTL counts as expired: the next charge writes it anew, with one.
local function read(key)
  local ttl = call("PTTL", key)
  if ttl == -2 then return 0, 0 end
  local value = tonumber(attempt("GET", key) or 0)
  if not value or value < 0 or value > NEVER or value % 1 ~= 0 then return ttl, nil end
  if ttl <= 0 then return 0, 0 end
  return ttl, value
end

-- Adds units, which may be negative, to a value that `read` has accepted -> whether the server accepts it too. Lua also
-- reads `1e3`, `5.0` and `0x10` as integers. Such a key must not end the script: other requests are charged already.
local function add(key, units)
  local sum = attempt("INCRBY", key, digits[units])
  if type(sum) == "number" then return true end
  if string.find(sum.err, "not an integer", 1, true) then return false end
  call("INCRBY", key, digits[units]) -- no memory, or no permission: the same error again ends the script
  return true
end

-- Whether two moments that were computed in two calls are one. Before Redis 7.2 the clock moves inside a script;
-- moments that a limit has to tell apart are at least `apart` ms from each other.
local function same(a, b, apart)
  local slack = apart < 3 and apart - 1 or 2
  return a - b <= slack and b - a <= slack
end

local function wrong(what)
  error("ratelimit: " .. what, 0)
end

-- No number of ours has an x in it, and no word either: hexadecimal is for people.
if string.find(table.concat(ARGV, " "), "[xX]") then wrong("expected decimal integers") end

-- ARGV[at] as an integer. NaN passes no comparison.
local function integer(at)
  local number = ARGV[at] + 0
  if number >= 0 and number < NEVER and number % 1 == 0 then return number end
  wrong("expected integers in range")
end
