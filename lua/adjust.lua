-- adjust: the driver for changes after a decision: gives units back, takes units without a check, renews permits.
--
-- KEYS    one per adjustment, all on one node.
-- ARGV    eight per key: change, algorithm, count, time_ms, burst, wait_ms, units, stamp. All but the first two are
--         decimal integers below 2^53. The change is one of:
--           give   gives back at most `units` units of the charge with this stamp, if they are still in use.
--           take   charges `units` units now, even if there is no room; the debt is at most one burst.
--           renew  starts the lease of the permit with this id (the stamp) again.
-- Reply   one integer per key: the units that were given back, taken or renewed; 0 if there was nothing to change, or
--         if the key holds a value that no limit has written.
-- Errors  say what is wrong with ARGV; then nothing has been written.
local CHANGES = { give = true, take = true, renew = true }

if #ARGV ~= 8 * #KEYS then wrong("eight arguments per key") end
for position = 1, #KEYS do
  local index = 8 * position - 7
  local change, name = ARGV[index], ARGV[index + 1]
  if not CHANGES[change] then wrong("expected give, take or renew") end
  if not modules[name] or name == "bucket" then wrong("unknown algorithm") end
  if name == "concurrency" and change == "take" then wrong("permits cannot be taken without a check") end
  if name ~= "concurrency" and change == "renew" then wrong("only permits can be renewed") end
  for number = index + 2, index + 7 do integer(number) end
  if ARGV[index + 3] + 0 < 1 then wrong("expected time_ms of at least 1") end
end

local time, reply = call("TIME"), {}
local now = time[1] * 1000 + floor(time[2] / 1000)

local function take(judge, charge, key, units, count, time_ms, burst, wait_ms)
  local wait, room, _, state1, state2, state3, state4 = judge(key, 0, count, time_ms, burst, wait_ms)
  if wait == FOREIGN then return 0 end
  if units > room + burst then units = room + burst end
  if units <= 0 then return 0 end
  local reset = charge(key, units, count, time_ms, burst, wait_ms, 0, state1, state2, state3, state4)
  return reset and units or 0
end

for position, key in ipairs(KEYS) do
  local index = 8 * position - 7
  local change, name = ARGV[index], ARGV[index + 1]
  local count, time_ms, burst = ARGV[index + 2] + 0, ARGV[index + 3] + 0, ARGV[index + 4] + 0
  local wait_ms, units, stamp = ARGV[index + 5] + 0, ARGV[index + 6] + 0, ARGV[index + 7] + 0
  local judge, charge, give, _, renew = modules[name](name)
  if count == 0 or burst == 0 then
    reply[position] = 0
  elseif change == "give" then
    reply[position] = give(key, units, count, time_ms, burst, wait_ms, stamp, now)
  elseif change == "take" then
    reply[position] = take(judge, charge, key, units, count, time_ms, burst, wait_ms)
  else
    reply[position] = renew(key, units, count, time_ms, burst, wait_ms, stamp)
  end
end

return reply
