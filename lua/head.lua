-- head: the part that `decide` and `adjust` share: the current time, states as text, and the contract of the algorithms.
--
-- The driver makes a table for each limit, with its name and the numbers count, time_ms, burst and wait_ms. `burst` is the
-- capacity; for concurrency, it is the id of the permit. `implement` adds the functions of the limit's algorithm.
--
-- State of counter, buckets and sliding_window: three numbers in one string. One of the numbers is a time, so decisions do
-- not depend on the key's TTL, which only collects old keys. If there is no state, all three numbers are 0.
--   units  the units that were charged; most charges only increase this number.
--   tag    a small number whose meaning depends on the algorithm.
--   time   in ms of the server's clock, 0 .. 10^14 - 1. The functions receive and return `ahead`: the time in ms from now
--          until this time, negative if it has passed.
-- The functions of these algorithms are pure: they compute, and the driver reads and writes.
--   judge(units, tag, ahead, cost, keep) -> wait, room, reset, change
--     cost    the units that must fit: the units to charge, and `keep` more.
--     keep    the part of the cost that is left to other calls. Only leaky_bucket_queue uses it.
--     wait    0 if the cost fits now; else the time in ms until its turn, if no other call comes. NEVER if the cost is
--             above the capacity of the limit.
--     room    the units that are free now; negative in debt.
--     reset   the time in ms until nothing is in use. If the cost fits now and is not 0, this time includes the charge.
--             Otherwise it describes the state without a charge.
--     change  how a charge would change a state of the short form (below). "grows": the charge only increases the units.
--             "starts": nothing is in use, so the charge writes the same state as for a key that does not exist. nil: neither
--             of these, so `charge` must compute the new state.
--   charge(units, tag, ahead, cost, wait) -> units, tag, ahead, reset, ttl
--     Returns the state after a charge whose turn is in `wait` ms. ttl: the new TTL of the key in ms; nil if the key keeps
--     its TTL. The stamp of the charge is now + reset. `give` finds the charge by this stamp.
--   give(units, tag, ahead, most, left) -> given, units, tag, ahead, ttl
--     Gives back at most `most` units of the charge whose stamp is `left` ms from now, and returns the new state. units is
--     nil if nothing is in use afterwards. given is 0 if the charge is no longer in the state.
--   tags     the short form of the text has room for tags below this number.
--   longest  the longest reset after a charge that did not wait, in ms.
--
-- The state of sliding_log is a list, and the state of concurrency is a sorted set. So the functions of these two algorithms
-- call Redis themselves, and have no `tags`.
--   read(key, cost) -> state                  a table; nil if the key holds a foreign value
--   judge(state, nil, nil, cost) -> wait, room, reset     the cost includes the units that are left to others
--   charge(state, cost, wait) -> reset, stamp             reset is nil if `write` returns false
--   give(key, most, stamp) -> given
--   enqueue, renew                            see concurrency.lua

-- These functions are locals, which are faster than globals, because each request of a batch calls them.
local call, try_call, floor, ceil, type = redis.call, redis.pcall, math.floor, math.ceil, type
local format, sub, find, byte, to_number = string.format, string.sub, string.find, string.byte, tonumber
local unpack = table.unpack or unpack -- Lua 5.4, Lua 5.1
local argv, keys = ARGV, KEYS
local NEVER = 9007199254740991   -- 2^53 - 1: the largest integer that Lua and the reply both represent exactly
local FOREIGN = 9007199254740990 -- 2^53 - 2: the key holds a value that no limit has written

-- The script reads the time only once, because before Redis 7.2 the clock advances while a script runs.
local clock = call("TIME")
local NOW_US = clock[1] * 1000000 + clock[2]
local NOW = (NOW_US - NOW_US % 1000) / 1000

local function wrong(what)
  error("ratelimit: " .. what, 0)
end

-- Returns whether all four numbers are integers from 0 to 2^53 - 2. A NaN fails each comparison.
local function are_integers(a, b, c, d)
  return a >= 0 and b >= 0 and c >= 0 and d >= 0 and math.max(a, b, c, d) < NEVER and a % 1 + b % 1 + c % 1 + d % 1 == 0
end

-- The text of a state has one of two forms, both in decimal digits.
--   short  units * tags + tag (below 9.2 * 10^7), then 11 digits of time. It has at most 19 digits, so that INCRBY can add
--          units. Only states whose time is at most 115 days ahead, and whose tag is below `tags`, have this form.
--   long   units, 8 digits of tag, 14 digits of time. It has at least 23 digits, so that the length tells the forms apart.
-- The short form has only the last 11 digits of the time. They are read as a time from 173 days (PAST) before now to 2.7 years
-- after now. So the result is wrong only after the clock has stepped back by more than 2.3 years. After such a step, the state
-- starts fresh, or lasts longer by at most the step.
local ERA, SHORT, NEAR = 100000000000, 92000000, 10000000000
local PAST, ABSENT = 15000000000, -NOW
local SHIFT = PAST - NOW % ERA

-- A gate may follow the state in the text: `/`, a digit for its kind, a digit for its level, two digits for the generation of the
-- state, and three times of 14 digits. The times are the end of the gate, the time when the gate is forgotten, and the time when
-- the state in front of it expires. A gate is closed until its end: requests are refused although units are free. A gate may
-- outlive the state. A state that has expired, or whose text is empty, is absent. In Lua, a gate is a table, with times in ms
-- from now:
--   kind        0: a block. 1: a pause, whose end requests may wait for.
--   level       the number of blocks in a row, at most the number of steps.
--   generation  0, or how often the key was reset (1 .. 62, then again 1). Such a gate is never removed from a key, so that units
--               from before a reset are not given back to a state from after it. The key of the gate lives as long as the state
--               that was reset would have lived.
--   left        the time until the end of the gate; negative if the end has passed.
--   kept        the time until the gate is forgotten, at least `left`.
--   expires     the time until the state expires.
-- Example 563000060000/0100017630001800000176300030000001763000060000 is a counter with 5 units, and a block of level 1. The block
--         ends at 1763000180000 ms, and the gate is forgotten at 1763000300000 ms.
local GATE, SLASH = 47, 47
local GENERATION = 140737488355328 -- 2^47: the stamp of a charge is this times the generation, plus a time

-- Returns the units, the tag, `ahead` and the gate of a state. The units are nil if the text is foreign. The gate is nil if
-- the state has none.
local function decode(text, tags)
  local gate, units, tag, ahead
  if byte(text, -GATE) == SLASH then
    if not find(text, "^[01]%d+$", 1 - GATE) then return nil end
    gate = {
      kind = sub(text, -46, -46) - 0, level = 0, generation = sub(text, -44, -43) - 0,
      left = sub(text, -42, -29) - NOW, kept = sub(text, -28, -15) - NOW, expires = sub(text, -14) - NOW,
    }
    if gate.kept > 0 then gate.level = sub(text, -45, -45) - 0 end
    text = sub(text, 1, -1 - GATE)
    if text == "" then return 0, 0, ABSENT, gate end
  end
  if #text > 22 and #text < 38 and not find(text, "%D") then
    units, tag, ahead = sub(text, 1, -23) - 0, sub(text, -22, -15) - 0, sub(text, -14) - NOW
  elseif #text > 19 or not find(text, "^[1-9]%d*$") and text ~= "0" then
    return nil
  else
    local high = #text > 11 and sub(text, 1, -12) - 0 or 0
    if high >= SHORT then return nil end
    units, tag, ahead = (high - high % tags) / tags, high % tags, (sub(text, -11) + SHIFT) % ERA - PAST
  end
  if gate and gate.expires < 0 then return 0, 0, ABSENT, gate end
  return units, tag, ahead, gate
end

local function encode(units, tag, ahead, tags)
  local high = units * tags + tag
  if high >= SHORT or tag >= tags or ahead > NEAR then return format("%.0f%08.0f%014.0f", units, tag, NOW + ahead) end
  return high > 0 and format("%.0f%011.0f", high, (NOW + ahead) % ERA) or format("%.0f", (NOW + ahead) % ERA)
end

-- Runs a command on a key. Returns its reply, or `foreign` if the key has another type than the command expects. All other errors
-- end the script, so that the client tries again.
local function attempt(foreign, ...)
  local reply = try_call(...)
  if type(reply) ~= "table" then return reply end
  if find(reply.err, "WRONGTYPE", 1, true) then return foreign end
  return call(...)
end

-- Runs a command that writes. In `adjust`, an error ends the script. `decide` replaces this function: if the server refuses to
-- write, it returns false.
local write = call

-- Writes a state in place of `old`, the text that was read. Returns false if the key is foreign or `write` returns false. A gate
-- without `expires` is new: the state in front of it expires as it would without a gate.
local function put(limit, key, old, units, tag, ahead, ttl, gate)
  local text = encode(units, tag, ahead, limit.tags)
  if gate then
    ttl = ttl or gate.expires
    if not ttl and (not limit.level_of or tag > 0 and tag < 99) then
      ttl = ahead + (limit.level_of and 2 ^ tag or 0)
    elseif not ttl then -- the tag does not tell the TTL: the state expires when nothing is in use
      local level, phase = limit.level_of(units, ahead)
      ttl = level > 0 and limit.leak_time(level, phase) or -1
      if ttl > ERA then ttl = ERA end
    end
    gate.expires = ttl -- a merged request that does not pass closes the gate after the charge of the others
    if gate.kept > 0 or gate.generation > 0 then
      if ttl < 0 then text, ttl = "", -NOW end
      local times = format("%014.0f%014.0f%014.0f", NOW + gate.left, NOW + gate.kept, NOW + ttl)
      text = text .. format("/%.0f%.0f%02.0f", gate.kind, gate.level, gate.generation) .. times
      if gate.kept > ttl then ttl = gate.kept end
      local lives = gate.generation > 0 and call("PTTL", key) or 0
      if lives > ttl then ttl = lives end
    end
    if ttl < 1 then ttl = 1 end
  end
  if not ttl then return write("SET", key, text, "KEEPTTL") end
  if old then return write("SET", key, text, "PX", format("%.0f", ttl)) end
  -- MGET returns the same for a key of another type as for a key that does not exist. With NX, a key of another type stays.
  return write("SET", key, text, "PX", format("%.0f", ttl), "NX")
end

-- Returns an integer as text without an exponent, because commands do not accept exponents.
local function digits(number)
  return format("%.0f", number)
end

