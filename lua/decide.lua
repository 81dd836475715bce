-- decide: the driver that judges requests in order and charges those that pass.
--
-- KEYS    one per request, all on one node. The keys of one stack differ.
-- ARGV    the mode, then runs of requests with the same limit and cost, seven arguments for each run:
--           algorithm, count, time_ms, burst, wait_ms, n, cost
--         All but the algorithm are decimal integers below 2^53; time_ms is at least 1. n is one of:
--           n >= 1  n independent requests.
--           n = 0   one request that passes only together with the run that follows: a member of a stack. The last run
--                   of a stack has n = 1. Either all members of a stack are charged, or none is.
--           n < 0   -n equal requests on one key, merged: one read and one write. Only in mode check, without a wait.
--         The mode is one of:
--           check   charges requests that pass now.
--           charge  charges requests that pass within wait_ms, and returns the delay of each and a stamp by which the
--                   charge can be given back.
--           peek    replies as check does, but charges nothing.
-- Reply   one string with four integers per request, 8 bytes each, lowest byte first: delay_ms, remaining,
--         reset_after_ms, stamp. (Parsing it costs the client a tenth of parsing as many integers, and the server does
--         the same work.)
--         delay_ms >= 0  the request passes after this time. In a stack: this member would pass; the stack has passed
--                        if all members would.
--         delay_ms < 0   the request is refused; it would pass after -delay_ms. -NEVER: it never passes. -FOREIGN: the
--                        key holds a value that no limit has written, so nothing can be decided.
--         All are below 2^53 in size, and remaining is at most what the limit can hold.
--         remaining and reset_after_ms describe the state after the charge, if there was one. The stamp is 0 if there
--         was no charge, and is meaningful only in mode charge.
--         For n < 0, the four integers are: how many requests pass, remaining, reset_after_ms, and the delay_ms of the
--         requests that do not pass.
-- Example check counter 5 60000 5 0 1 2, with one key that does not exist: delay_ms 0, remaining 3,
--         reset_after_ms 60000.
-- Errors  say what is wrong with ARGV (in Lua's own words if an argument is no number); then nothing has been written. A
--         count or burst of zero is no error: such a limit refuses everything.
local argv, keys = ARGV, KEYS
local mode = argv[1]
local is_peek, is_charge = mode == "peek", mode == "charge"
if not (is_peek or is_charge or mode == "check") then wrong("expected check, charge or peek") end

-- Check all arguments before the first write.
local runs, requests, last_n = {}, 0, 1
for index = 2, #argv, 7 do
  local name = argv[index]
  if not modules[name] or name == "bucket" then wrong("unknown algorithm") end
  if #argv < index + 6 then wrong("expected seven arguments per run") end
  local count, time_ms = integer(index + 1), integer(index + 2)
  local burst, wait_ms = integer(index + 3), integer(index + 4)
  local n, cost = argv[index + 5] + 0, integer(index + 6)
  if n % 1 ~= 0 or time_ms < 1 or count + time_ms + burst + wait_ms >= NEVER then
    wrong("expected count, time_ms, burst, wait_ms and n as integers in range")
  end
  if n < 0 and (wait_ms > 0 or mode ~= "check" or cost < 1) then
    wrong("only requests with a cost, in mode check, without a wait can be merged")
  end
  if last_n == 0 and n ~= 0 and n ~= 1 then wrong("a stack ends with n = 1") end
  runs[#runs + 1] = {
    name = name, count = count, time_ms = time_ms, burst = burst, wait_ms = wait_ms, n = n, cost = cost,
  }
  last_n, requests = n, requests + (n > 0 and n or 1)
end
if last_n == 0 then wrong("a stack ends with n = 1") end
if requests ~= #keys then wrong("one key per request") end

local now = 0
if is_charge then
  local time = call("TIME")
  now = time[1] * 1000 + floor(time[2] / 1000)
end

local pack, reply, position = struct.pack, {}, 0
local stack, refused = nil, false
local name, judge, charge, enqueue, _

local function set_reply(at, delay, room, reset, stamp)
  reply[at] = pack("<i8i8i8i8", delay, room > 0 and room or 0, reset, stamp)
end

-- Charges the members of a stack that passes, and updates their replies.
local function charge_stack()
  for _, member in ipairs(refused and {} or stack) do
    local run = member.run
    local reset, stamp = member.charge(
      member.key, run.cost, run.count, run.time_ms, run.burst, run.wait_ms, member.wait,
      member.state1, member.state2, member.state3, member.state4
    )
    if reset then
      set_reply(member.position, member.wait, member.room - run.cost, reset, stamp or now + reset)
    else
      set_reply(member.position, -FOREIGN, 0, 0, 0)
    end
  end
  stack, refused = nil, false
end

-- Decides n equal requests on one key: as many pass as there is room for.
local function decide_merged(key, n, cost, count, time_ms, burst)
  local wait, room, reset, state1, state2, state3, state4 = judge(key, cost, count, time_ms, burst, 0)
  local passed = 0
  if wait == 0 then
    passed = floor(room / cost)
    if passed > n then passed = n end
    reset = charge(key, passed * cost, count, time_ms, burst, 0, 0, state1, state2, state3, state4)
    if not reset then return set_reply(position, 0, 0, 0, -FOREIGN) end
    room = room - passed * cost
    if passed < n then wait = judge(key, cost, count, time_ms, burst, 0) end
  end
  set_reply(position, passed, room, reset, -wait)
end

for _, run in ipairs(runs) do
  if run.name ~= name then
    name = run.name
    judge, charge, _, enqueue = modules[name](name)
  end
  local count, time_ms, burst, wait_ms, n, cost = run.count, run.time_ms, run.burst, run.wait_ms, run.n, run.cost
  local longest_delay, can_pass = is_charge and not enqueue and wait_ms or 0, count > 0 and burst > 0
  local takes_units = cost > 0 and not is_peek
  if n < 0 then
    position = position + 1
    if can_pass then
      decide_merged(keys[position], -n, cost, count, time_ms, burst)
    else
      set_reply(position, 0, 0, 0, -NEVER)
    end
  end
  for _ = 1, n > 0 and n or n + 1 do
    position = position + 1
    local key = keys[position]
    local wait, room, reset, state1, state2, state3, state4 = NEVER, 0, 0
    if can_pass then
      wait, room, reset, state1, state2, state3, state4 = judge(key, cost, count, time_ms, burst, wait_ms)
    end
    local passes, stamp = wait <= longest_delay, 0
    if n == 0 or stack then
      stack, refused = stack or {}, refused or not passes
      if takes_units then
        stack[#stack + 1] = {
          position = position, run = run, charge = charge, key = key, wait = wait, room = room,
          state1 = state1, state2 = state2, state3 = state3, state4 = state4,
        }
      end
    elseif passes and takes_units then
      reset, stamp = charge(key, cost, count, time_ms, burst, wait_ms, wait, state1, state2, state3, state4)
      if reset then
        room, stamp = room - cost, stamp or now + reset
      else
        passes, wait, room, reset, stamp = false, FOREIGN, 0, 0, 0
      end
    elseif enqueue and is_charge and wait_ms > 0 and not passes and wait < FOREIGN then
      wait = enqueue(key, cost, count, time_ms, burst, wait_ms, wait, state1, state2, state3)
    end
    set_reply(position, passes and wait or -wait, room, reset, stamp)
    if stack and n > 0 then charge_stack() end
  end
end

return table.concat(reply)
