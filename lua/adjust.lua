-- adjust: makes changes after a decision: gives units back, takes units without a check, renews permits, and opens and
-- closes gates. A gate (head.lua) refuses the calls of a key until its end.
--
-- KEYS    one per adjustment, all on one node.
-- ARGV    eight per key: change, algorithm, count, time_ms, burst, wait_ms, units, stamp. All but the first two are
--         integers below 2^53. The change is one of:
--           give   gives back at most `units` units of the charge with this stamp, if they are still in use.
--           take   charges `units` units now, even if there is no room. At most `burst` units become debt.
--           used   changes nothing: it asks for the units in use.
--           renew  restarts the lease of a permit. The stamp is the id of the permit.
--           block  closes the gate. The stamp is the length of the block in ms. The level of the gate stays.
--           open   removes the gate, with its level.
--           pause  closes the gate. The stamp is the length of the pause in ms. A gate that is closed for longer keeps its end.
--                  The limit is also used up until the gate opens, so that requests do not all pass at that moment. Requests
--                  may wait for the end of a pause.
--           closed changes nothing: it asks for the time until the gate opens.
-- Reply   one integer per key. For give, take and renew: the units that were given back, taken or renewed. For used: the units
--         in use, more than `burst` in debt, at most 2^32-1. For block and pause: 1. For open: 1 if the gate was closed,
--         otherwise 0. For closed: the time in ms until the gate opens, at most 2^32-1.
--         Two cases always reply 0: a foreign key, and a pause of a limit whose count or burst is 0.
-- Errors  say what is wrong with ARGV. In this case, nothing has been written.
local CHANGES = { give = 1, take = 1, used = 1, renew = 1, block = 2, open = 2, pause = 2, closed = 2 }

if #argv ~= 8 * #keys then wrong("eight arguments per key") end
local limits = {}
for position = 1, #keys do
  local index = 8 * position - 7
  local change, limit = argv[index], {
    name = argv[index + 1], count = argv[index + 2] + 0.0, time_ms = argv[index + 3] + 0.0, burst = argv[index + 4] + 0.0,
    wait_ms = argv[index + 5] + 0.0,
  }
  local is_permit = limit.name == "concurrency"
  if not CHANGES[change] then wrong("expected give, take, used, renew, block, open, pause or closed") end
  if is_permit and (change == "take" or change == "used") then wrong("permits cannot be taken without a check") end
  if not is_permit and change == "renew" then wrong("only permits can be renewed") end
  if limit.time_ms < 1 or not are_integers(limit.count, limit.time_ms, limit.burst, limit.wait_ms)
    or not are_integers(argv[index + 6] + 0, 0, 0, 0) or not are_integers(argv[index + 7] + 0, 0, 0, 0) then
    wrong("expected integers in range")
  end
  implement(limit)
  if CHANGES[change] == 2 and not limit.tags then wrong("logs and permits have no gate") end
  if (change == "block" or change == "pause") and argv[index + 7] + 0 < 1 then wrong("expected a time of at least 1 ms") end
  limits[position] = limit
end

-- Returns how many of `units` units can be taken while `room` units are free. The debt is at most `burst` units.
local function takeable(limit, units, room)
  if units > room + limit.burst then units = room + limit.burst end
  return units > 0 and units or 0
end

-- Returns the units in use while `room` units are free.
local function in_use(limit, room)
  local units = limit.burst - room
  return units < 4294967295 and units or 4294967295
end

-- Uses up a limit for `ms` ms. Returns units, tag, ahead and ttl. If the limit is already used up for this time or longer, the
-- state stays the same, and ttl is nil.
local function use_up(limit, units, tag, ahead, ms)
  local until_free, most, new_ttl, _ = ms, limit.burst, nil, nil
  if limit.level_of then
    if limit.name == "leaky_bucket_queue" then most = 0 end
    local level, phase = limit.level_of(most, ms)
    if limit.level_of(units, ahead) >= level then return units, tag, ahead end
    units, tag, ahead, _, new_ttl = limit.anchored(most, ms, limit.leak_time(level, phase))
    return units, tag, ahead, new_ttl
  end
  if limit.name == "sliding_window" then until_free = ms + limit.time_ms end
  if ahead >= until_free then return units, tag, ahead end
  return most, 0, until_free, until_free
end

-- Changes the gate of a state. Returns the number for the reply.
local function change_gate(key, limit, change, ms, text, gate, units, tag, ahead)
  local was_closed, generation = gate and gate.left > 0, gate and gate.generation or 0
  if gate and gate.kept <= 0 and generation == 0 then gate = nil end
  if change == "closed" then return was_closed and (gate.left < 4294967295 and gate.left or 4294967295) or 0 end
  if change == "block" then
    gate = gate or { level = 0, generation = 0, kept = 0 }
    gate.kind, gate.left, gate.kept = 0, ms, gate.kept > ms and gate.kept or ms
    return put(limit, key, text, units, tag, ahead, nil, gate) and 1 or 0
  end
  if change == "pause" then
    if limit.count < 1 or limit.burst < 1 then return 0 end
    local is_blocked, ttl = was_closed and gate.kind == 0 and gate.left >= ms, nil
    if was_closed and gate.left > ms then ms = gate.left end
    units, tag, ahead, ttl = use_up(limit, units, tag, ahead, ms)
    gate = gate or { level = 0, generation = 0, kept = 0 }
    gate.kind, gate.left, gate.kept = is_blocked and 0 or 1, ms, gate.kept > ms and gate.kept or ms
    return put(limit, key, text, units, tag, ahead, ttl, gate) and 1 or 0
  end
  if generation > 0 then
    gate.level, gate.left, gate.kept = 0, 0, 0
    put(limit, key, text, units, tag, ahead, gate.expires, gate)
  elseif gate and gate.expires > 0 then
    put(limit, key, text, units, tag, ahead, gate.expires)
  elseif gate then
    call("DEL", key)
  end
  return was_closed and 1 or 0
end

-- Changes a state or its gate. Returns the number for the reply.
local function change_state(key, limit, change, most, stamp)
  local text = attempt("", "GET", key)
  local units, tag, ahead, changed, ttl, gate, _ = 0, 0, ABSENT, 0, nil, nil, nil
  if text then units, tag, ahead, gate = decode(text, limit.tags) end
  if not units then return 0 end
  if CHANGES[change] == 2 then return change_gate(key, limit, change, stamp, text, gate, units, tag, ahead) end
  if change == "used" then return in_use(limit, select(2, limit.judge(units, tag, ahead, 0))) end
  local generation = gate and gate.generation or 0
  if change == "give" then
    if floor(stamp / GENERATION) ~= generation then return 0 end
    changed, units, tag, ahead, ttl = limit.give(units, tag, ahead, most, stamp % GENERATION - NOW)
  else
    changed = takeable(limit, most, select(2, limit.judge(units, tag, ahead, 0)))
    if changed > 0 then units, tag, ahead, _, ttl = limit.charge(units, tag, ahead, changed, 0) end
  end
  if changed == 0 then return 0 end
  if not units and generation == 0 and not (gate and gate.kept > 0) then return call("DEL", key) and changed end
  if not units then units, tag, ahead, ttl = 0, 0, ABSENT, -1 end
  return put(limit, key, text, units, tag, ahead, ttl, gate) and changed or 0
end

-- Changes a log or a set of permits. Returns the number of units that were changed.
local function change_structure(key, limit, change, most, stamp)
  if change == "give" then return limit.give(key, most, stamp) end
  if change == "renew" then return limit.renew(key, most, stamp) end
  local state = limit.read(key)
  if not state then return 0 end
  local _, room = limit.judge(state, nil, nil, 0)
  if change == "used" then return in_use(limit, room) end
  local units = takeable(limit, most, room)
  if units > 0 then limit.charge(state, units, 0) end
  return units
end

local reply = {}
for position, limit in ipairs(limits) do
  local index = 8 * position - 7
  local change, most, stamp = argv[index], argv[index + 6] + 0, argv[index + 7] + 0
  reply[position] = 0
  if limit.count > 0 and limit.burst > 0 or CHANGES[change] == 2 then
    local apply = limit.tags and change_state or change_structure
    reply[position] = floor(apply(keys[position], limit, change, most, stamp))
  end
end

return reply
