-- requests: reads the arguments of `decide`, and checks all of them before the first write. decide.lua explains them.
--
-- Makes a table for each run: its limit, the position of its first key, n, cost, keep, and whether it is a member of a stack.
-- extra   keep, or keep:step:step.. with up to nine steps of a block in ms, or keep/most/time_ms/callers (fair.lua).
--         keep: the units that the request leaves to others, 0 .. 2^32-1. The request passes if cost + keep would pass, and
--         charges only the cost. Only buckets and permits let a request with `keep` wait. In a window or a log, later calls
--         get later turns, so nobody could use the units that such a request leaves free before its own turn.
--         steps: if this limit refuses a request with a cost, the gate of the request's key (head.lua) closes. The first block
--         lasts for the first step, and each further block lasts for the next step. A gate is forgotten when it has been open
--         for the length of the last step. Three kinds of requests close no gate: a peek, a request that leaves units to
--         others, and a request that a closed gate or another member of its stack refuses. Of merged requests, the first one
--         that does not pass closes the gate.
local mode, at_once = argv[1], argv[2] + 0
local charges, waits = mode ~= "peek", mode == "charge"
if charges and not waits and mode ~= "check" then wrong("expected check, charge or peek") end

-- This code has no helper functions: each call would create them again, which costs more than they save for a few runs.
local runs, limit, requests, shares, is_open = {}, {}, 0, 0, false
for index = 3, #argv, 8 do
  if #argv < index + 7 then wrong("expected eight arguments per run") end
  local name, count, time_ms, burst = argv[index], argv[index + 1] + 0.0, argv[index + 2] + 0.0, argv[index + 3] + 0.0
  local wait_ms, n, cost, extra = argv[index + 4] + 0.0, argv[index + 5] + 0, argv[index + 6] + 0, argv[index + 7]
  local keep, block, share, callers = 0, nil, nil, nil
  if extra ~= "0" then
    keep = to_number(extra)
    if not keep then
      keep, block = string.match(extra, "^(%d+)(:[:%d]*)$")
      if not keep then
        share = {}
        keep, share.most, share.time_ms, callers = string.match(extra, "^(%d+)/(%d+)/(%d+)/(%x+)$")
      end
      if not keep then wrong("expected extra in range") end
      keep = keep + 0
    end
  end
  local is_same = name == limit.name and count == limit.count and time_ms == limit.time_ms
  if not (is_same and burst == limit.burst and wait_ms == limit.wait_ms and block == limit.block) then
    if time_ms < 1 or not are_integers(count, time_ms, burst, wait_ms) then
      wrong("expected count, time_ms, burst and wait_ms in range")
    end
    limit = { name = name, count = count, time_ms = time_ms, burst = burst, wait_ms = wait_ms }
    implement(limit)
    if block then
      local steps = {}
      for ms in string.gmatch(block, "[^:]+") do steps[#steps + 1] = ms + 0 end
      if not limit.tags then wrong("logs and permits have no gate") end
      if #steps < 1 or #steps > 9 or not are_integers(steps[1] - 1, math.max(unpack(steps)), 0, 0) then
        wrong("expected extra in range")
      end
      limit.block, limit.steps = block, steps
    end
    if count < 1 or burst < 1 then
      limit.tags, limit.enqueue = nil, nil
      function limit.read() return {} end
      function limit.judge() return NEVER, 0, 0 end
    end
  end
  if n % 1 ~= 0 or not are_integers(cost, keep, 0, 0) then wrong("expected n, cost and extra in range") end
  if share then
    if not limit.shares or wait_ms > 0 then wrong("callers share only a bucket whose units come back one by one, without a wait") end
    share.most, share.time_ms, share.callers = share.most + 0, share.time_ms + 0, callers
    if #callers ~= 16 * (n < 0 and -n or 1) or n > 1 or share.time_ms < 1
      or not are_integers(share.most, share.time_ms, 0, 0) then
      wrong("expected extra in range")
    end
    shares = shares + 1
  end
  if n < 0 and (wait_ms > 0 or mode ~= "check" or cost < 1) then
    wrong("only requests with a cost, in mode check, without a wait can be merged")
  end
  if is_open and n ~= 0 and n ~= 1 then wrong("a stack ends with n = 1") end
  runs[#runs + 1] = {
    limit = limit, first = requests + 1, n = n, cost = cost, keep = keep, share = share, is_member = is_open or n == 0,
  }
  is_open, requests = n == 0, requests + (n > 0 and n or 1)
end
if is_open then wrong("a stack ends with n = 1") end
if requests + 2 * shares ~= #keys then wrong("one key per request, and two for each run with callers") end
if not are_integers(at_once, 0, 0, 0) or at_once > requests then wrong("expected how many keys to read at once") end
if shares > 0 then
  local position = requests
  for _, run in ipairs(runs) do
    if run.share then
      run.share.current, run.share.previous = keys[position + 1], keys[position + 2]
      position = position + 2
    end
  end
end

