-- adjust: the driver for what happens after a decision: units given back, taken without asking, permits renewed.
--
-- KEYS    one per adjustment, all on one node.
-- ARGV    eight per key: what, algorithm, count, time_ms, burst, wait_ms, units, stamp. Decimal integers below 2^53
--         but for the first two. What:
--           give   gives back up to so many units of the charge with this stamp, if they are still in use.
--           take   charges units now, whether there is room or not: debt, at most one burst deep.
--           renew  lets the lease of the permit with this id (the stamp) begin anew.
-- Reply   one integer per key: the units given back, taken or renewed; 0 where there was nothing to do, and where the
--         key holds something foreign.
-- Errors  What is wrong with ARGV; nothing has been written then.
local WHAT = { give = true, take = true, renew = true }

if #ARGV ~= 8 * #KEYS then wrong("eight arguments per key") end
for i = 1, #KEYS do
  local at = 8 * i - 7
  if not WHAT[ARGV[at]] then wrong("expected give, take or renew") end
  if not modules[ARGV[at + 1]] or ARGV[at + 1] == "bucket" then wrong("unknown algorithm") end
  if ARGV[at + 1] == "concurrency" and ARGV[at] == "take" then wrong("a permit cannot be taken without asking") end
  if ARGV[at + 1] ~= "concurrency" and ARGV[at] == "renew" then wrong("only permits are renewed") end
  for number = at + 2, at + 7 do integer(number) end
  if ARGV[at + 3] + 0 < 1 then wrong("time_ms has to be at least 1") end
end

local time, reply = call("TIME"), {}
local now = time[1] * 1000 + floor(time[2] / 1000)

local function take(judge, charge, key, units, count, time_ms, burst, wait_ms)
  local wait, room, _, a, b, c, d = judge(key, 0, count, time_ms, burst, wait_ms)
  if wait == FOREIGN then return 0 end
  if units > room + burst then units = room + burst end
  if units <= 0 then return 0 end
  return charge(key, units, count, time_ms, burst, wait_ms, 0, a, b, c, d) and units or 0
end

for i, key in ipairs(KEYS) do
  local at = 8 * i - 7
  local what, name = ARGV[at], ARGV[at + 1]
  local count, time_ms, burst, wait_ms, units, stamp =
    ARGV[at + 2] + 0, ARGV[at + 3] + 0, ARGV[at + 4] + 0, ARGV[at + 5] + 0, ARGV[at + 6] + 0, ARGV[at + 7] + 0
  local judge, charge, give, _, renew = modules[name](name)
  if count == 0 or burst == 0 then
    reply[i] = 0
  elseif what == "give" then
    reply[i] = give(key, units, count, time_ms, burst, wait_ms, stamp, now)
  elseif what == "take" then
    reply[i] = take(judge, charge, key, units, count, time_ms, burst, wait_ms)
  else
    reply[i] = renew(key, units, count, time_ms, burst, wait_ms, stamp)
  end
end

return reply
