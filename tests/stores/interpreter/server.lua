-- server: the commands that the scripts use, on keys in tables. A stored table never changes, so a test can continue from any
-- earlier state of the server. A number identifies a state, because the interpreter has at most 8000 references.
--
-- -> run(script, state, now_us, names, arguments) -> reply, state. describe(state) -> a text that differs for different keys.
--    add() -> an empty state. forget(state).
local floor, format, sub, number = math.floor, string.format, string.sub, tonumber
local state, micros

-- Keys. An entry has a value, and the last ms in which it exists. An entry without that ms never expires.

local function value(key)
  local found = state[key]
  if found and not (found.ends and found.ends < floor(micros / 1000)) then return found.value, found.ends end
end

local function store(key, new, ends)
  local copy = {}
  for name, found in pairs(state) do copy[name] = found end
  copy[key] = new ~= nil and { value = new, ends = ends } or nil
  state = copy
end

-- -> a copy of a list or a set, and the last ms of its key.
local function copied(key)
  local copy = {}
  for at, item in pairs(value(key) or {}) do copy[at] = item end
  return copy, select(2, value(key))
end

local function replace(key, new, ends)
  store(key, next(new) ~= nil and new or nil, ends)
end

local commands = {}

function commands.TIME() return { format("%.0f", floor(micros / 1000000)), format("%.0f", micros % 1000000) } end
function commands.GET(key) return value(key) or false end
function commands.EXISTS(key) return value(key) and 1 or 0 end
function commands.MGET(...)
  local values = {}
  for at, key in ipairs({ ... }) do values[at] = value(key) or false end
  return values
end

function commands.DEL(key)
  local existed = value(key) and 1 or 0
  store(key, nil)
  return existed
end

function commands.SET(key, text, option, ms, condition)
  local old, ends = value(key)
  if condition == "NX" and old then return false end
  assert(option == "KEEPTTL" or option == "PX" and number(ms) > 0, "SET without a TTL")
  store(key, text, option == "KEEPTTL" and ends or floor(micros / 1000) + ms)
  return { ok = "OK" }
end

-- Lua has no 64-bit integers. The scripts add only multiples of 10^11, so the last eleven digits stay, and only the digits
-- before them are added.
function commands.INCRBY(key, by)
  local text, ends = value(key)
  local low, more = sub(text, -11), sub(by, 1, -12)
  assert(sub(by, -11) == "00000000000" and number(text) and #text < 20, "INCRBY of " .. by .. " to " .. text)
  local sum = (#text > 11 and sub(text, 1, -12) or 0) + more
  store(key, format("%.0f%011.0f", sum, number(low)), ends)
  return sum * 100000000000
end

function commands.PEXPIRE(key, ms)
  store(key, value(key), floor(micros / 1000) + ms)
  return 1
end

-- Lists.

function commands.LLEN(key) return #(value(key) or {}) end
function commands.LINDEX(key, index)
  local list = value(key) or {}
  return list[index < 0 and #list + 1 + index or index + 1] or false
end

function commands.RPUSH(key, ...)
  local list, ends = copied(key)
  for _, text in ipairs({ ... }) do list[#list + 1] = text end
  replace(key, list, ends)
  return #list
end

function commands.LTRIM(key, from, to)
  assert(from >= 0 and to == -1)
  local list, ends = value(key)
  replace(key, { unpack(list or {}, from + 1) }, ends)
  return { ok = "OK" }
end

-- Removes texts from the end, because the scripts use only negative counts.
function commands.LREM(key, count, text)
  local list, ends = copied(key)
  local removed = 0
  for at = #list, 1, -1 do
    if list[at] == text and removed < -number(count) then
      table.remove(list, at)
      removed = removed + 1
    end
  end
  replace(key, list, ends)
  return removed
end

-- Sorted sets. The value of a key maps members to scores.

local function ordered(key)
  local members = {}
  for member, score in pairs(value(key) or {}) do members[#members + 1] = { member, score } end
  table.sort(members, function(one, other)
    return one[2] < other[2] or one[2] == other[2] and one[1] < other[1]
  end)
  return members
end

local function bound(text)
  text = tostring(text)
  if text == "-inf" then return -math.huge, false end
  if text == "+inf" then return math.huge, false end
  local is_open = sub(text, 1, 1) == "("
  return number(is_open and sub(text, 2) or text), is_open
end

local function within(key, low, high)
  local from, above = bound(low)
  local to, below = bound(high)
  local found = {}
  for _, member in ipairs(ordered(key)) do
    local score = member[2]
    if (score > from or score == from and not above) and (score < to or score == to and not below) then
      found[#found + 1] = member
    end
  end
  return found
end

local function shown(member)
  return member and { member[1], format("%.0f", member[2]) } or {}
end

function commands.ZADD(key, ...)
  local words, set, ends = { ... }, copied(key)
  ends = select(2, value(key))
  local only_new = words[1] == "NX"
  for at = only_new and 2 or 1, #words, 2 do
    local member = tostring(words[at + 1])
    if not (only_new and set[member]) then set[member] = number(words[at]) end
  end
  replace(key, set, ends)
  return 1
end

function commands.ZSCORE(key, member)
  local score = (value(key) or {})[member]
  return score and format("%.0f", score) or false
end

function commands.ZCOUNT(key, low, high) return #within(key, low, high) end
function commands.ZRANGEBYSCORE(key, low, high) return shown(within(key, low, high)[1]) end
function commands.ZRANGE(key, from, to, option)
  local members = option == "BYSCORE" and within(key, to, from) or ordered(key)
  return shown(members[#members])
end

local function remove(key, members)
  local set, ends = copied(key)
  local removed = 0
  for _, member in ipairs(members) do
    if set[member] then set[member], removed = nil, removed + 1 end
  end
  replace(key, set, ends)
  return removed
end

function commands.ZREM(key, ...) return remove(key, { ... }) end
function commands.ZREMRANGEBYSCORE(key, low, high)
  local names = {}
  for at, member in ipairs(within(key, low, high)) do names[at] = member[1] end
  return remove(key, names)
end

local function call(name, ...)
  return assert(commands[name], "unknown to this server: " .. name)(...)
end

redis = { call = call, pcall = call, error_reply = function(text) error(text) end }
-- In this server, a reply of doubles is a text of numbers.
struct = { pack = function(_, ...) return (string.rep("%.0f ", select("#", ...))):format(...) end }

local states, free = {}, {}

local function add(keys)
  local place = table.remove(free) or #states + 1
  states[place] = keys or {}
  return place
end

local function forget(place)
  states[place] = false
  free[#free + 1] = place
end

local function run(script, from, now_us, names, arguments)
  state, micros, KEYS, ARGV = states[from], now_us, names, arguments
  local reply = script()
  return reply, add(state)
end

local function describe(place)
  local names, parts, keys = {}, {}, states[place]
  for name in pairs(keys) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local found = keys[name]
    local parts_of = {}
    if type(found.value) == "table" then
      for at, item in pairs(found.value) do parts_of[#parts_of + 1] = at .. "=" .. item end
      table.sort(parts_of)
    end
    local text = type(found.value) == "string" and found.value or table.concat(parts_of, ",")
    parts[#parts + 1] = name .. " " .. text .. " " .. (found.ends or "")
  end
  return table.concat(parts, ";")
end

return run, describe, add, forget
