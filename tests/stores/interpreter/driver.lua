-- driver: what decide.lua and adjust.lua do with the pure functions of an algorithm, without a server.
--
-- Stands behind head.lua and the algorithms. A state is a text, or nil if there is none; ttl is nil if it stays.
-- decide -> wait, room, reset, text, ttl. take, give -> changed units, text, ttl. text is nil if nothing is written, and
-- false if the state is removed.
local judge, charge, give, tags = modules[LIMIT.name](LIMIT)

local function read(text)
  if text then return decode(text, tags) end
  return 0, 0, 0
end

local function written(units, tag, time, ttl)
  local text = encode(units, tag, time, tags)
  local a, b, c = decode(text, tags)
  assert(a == units and b == tag and c == time, "a state that is read differently than it was written")
  return text, ttl
end

local function decide(text, cost, longest_delay, charges)
  local units, tag, time = read(text)
  local wait, room, reset, ttl = judge(units, tag, time, cost)
  if wait > longest_delay or not charges or cost == 0 then return wait, room, reset end
  units, tag, time, reset, ttl = charge(units, tag, time, cost, wait)
  return wait, room - cost, reset, written(units, tag, time, ttl)
end

local function take(text, most)
  local units, tag, time = read(text)
  local _, room = judge(units, tag, time, 0)
  local cost, ttl = most < room + LIMIT.burst and most or room + LIMIT.burst, nil
  if cost <= 0 then return 0 end
  units, tag, time, _, ttl = charge(units, tag, time, cost, 0)
  return cost, written(units, tag, time, ttl)
end

local function give_back(text, most, stamp)
  local units, tag, time = read(text)
  local given, ttl
  given, units, tag, time, ttl = give(units, tag, time, most, stamp)
  if given == 0 then return 0 end
  if not units then return given, false end
  return given, written(units, tag, time, ttl)
end

return decide, take, give_back
