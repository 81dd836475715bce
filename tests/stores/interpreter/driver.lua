-- driver: what decide.lua and adjust.lua do with the pure functions of an algorithm, without a server.
--
-- Stands behind head.lua and the algorithms. A state is a text, or nil if there is none; ttl is nil if it stays.
-- decide -> wait, room, reset, text, ttl. take, give -> changed units, text, ttl. text is nil if nothing is written, and
-- false if the state is removed.
implement(LIMIT)
local judge, charge, give, tags = LIMIT.judge, LIMIT.charge, LIMIT.give, LIMIT.tags

local function read(text)
  if text then return decode(text, tags) end
  return 0, 0, ABSENT
end

local function written(units, tag, ahead, ttl)
  local text = encode(units, tag, ahead, tags)
  local a, b, c = decode(text, tags)
  assert(a == units and b == tag and c == ahead, "a state that is read differently than it was written")
  return text, ttl
end

-- decide.lua writes by these hints instead of asking `charge`, if the state has the short form and keeps it.
local function check_change(change, old, new)
  if (old[1] + old.cost) * tags + old[2] >= SHORT then return end
  if change == "grows" then
    assert(new[1] == old[1] + old.cost and new[2] == old[2] and new[3] == old[3] and not new.ttl, "does not only grow")
  elseif change then
    local units, tag, ahead, _, ttl = charge(0, 0, ABSENT, old.cost, 0)
    assert(new[1] == units and new[2] == tag and new[3] == ahead, "does not start")
    assert(change == "starts" and (not new.ttl or new.ttl == ttl), "another TTL")
  end
end

local function decide(text, cost, keep, longest_delay, charges)
  local units, tag, ahead = read(text)
  local wait, room, reset, change = judge(units, tag, ahead, cost + keep, keep)
  local passes = wait <= longest_delay
  if passes and keep > 0 then _, _, reset, change = judge(units, tag, ahead, cost) end
  if passes and not (charges and cost > 0) then reset = select(3, judge(units, tag, ahead, 0)) end
  if not passes or not charges or cost == 0 then return wait, room, reset end
  local new_units, new_tag, new_ahead, new_reset, ttl = charge(units, tag, ahead, cost, wait)
  if wait == 0 then
    assert(reset == new_reset, "another reset after the charge")
    check_change(change, { units, tag, ahead, cost = cost }, { new_units, new_tag, new_ahead, ttl = ttl })
  end
  return wait, room - cost, new_reset, written(new_units, new_tag, new_ahead, ttl)
end

local function take(text, most)
  local units, tag, ahead = read(text)
  local _, room = judge(units, tag, ahead, 0)
  local cost, ttl = most < room + LIMIT.burst and most or room + LIMIT.burst, nil
  if cost <= 0 then return 0 end
  units, tag, ahead, _, ttl = charge(units, tag, ahead, cost, 0)
  return cost, written(units, tag, ahead, ttl)
end

local function give_back(text, most, stamp)
  local units, tag, ahead = read(text)
  local given, ttl
  given, units, tag, ahead, ttl = give(units, tag, ahead, most, stamp - NOW)
  if given == 0 then return 0 end
  if not units then return given, false end
  return given, written(units, tag, ahead, ttl)
end

return decide, take, give_back
