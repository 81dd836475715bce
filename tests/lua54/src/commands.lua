-- commands: the keyspace, and the commands on keys, strings and the server. `collections` has all other commands.
--
-- Contains only the commands that the scripts and the store tests use. Arguments are strings. An error is thrown as a table
-- with the field `err`.
local micros, directory = ...
local NOTHING = { err = "WRONGTYPE Operation against a key holding the wrong kind of value" }
local NO_INTEGER = { err = "ERR value is not an integer or out of range" }
local OK = { ok = "OK" }
local commands, keys = {}, {}

-- Keys. An entry has a kind, a value, and the time in ms at which the key expires.

local function entry(key)
  local found = keys[key]
  if found and found.ends and found.ends <= micros() // 1000 then
    keys[key], found = nil, nil
  end
  return found
end

-- -> the value of a key, or nil if the key does not exist. Throws an error if the key has another kind.
local function value(key, kind)
  local found = entry(key)
  if not found then return nil end
  if found.kind ~= kind then error(NOTHING, 0) end
  return found.value
end

local function store(key, kind, new)
  keys[key] = { kind = kind, value = new }
  return new
end

local function existing(key, kind)
  return value(key, kind) or store(key, kind, {})
end

-- Stores the remaining elements of a list, a sorted set or a hash. Removes the key if no element remains.
local function replace(key, left)
  if next(left) == nil then keys[key] = nil else keys[key].value = left end
end

-- Parses an integer as Redis does: without spaces, leading zeros or any other spelling.
local function integer(text)
  local number = (text == "0" or text:find("^-?[1-9]%d*$")) and tonumber(text)
  if math.type(number) ~= "integer" then error(NO_INTEGER, 0) end
  return number
end

function commands.DEL(...)
  local deleted = 0
  for _, key in ipairs({ ... }) do
    deleted, keys[key] = deleted + (entry(key) and 1 or 0), nil
  end
  return deleted
end

function commands.EXISTS(key) return entry(key) and 1 or 0 end
function commands.TYPE(key) return { ok = entry(key) and entry(key).kind or "none" } end
function commands.DBSIZE() return #commands.KEYS("*") end
function commands.FLUSHALL()
  keys = {}
  return OK
end

function commands.KEYS(pattern)
  local found, start = {}, pattern:match("^([^*]*)%*$")
  for key in pairs(keys) do
    if key == pattern or start and key:sub(1, #start) == start then found[#found + 1] = key end
  end
  return found
end

function commands.SCAN() return { "0", commands.KEYS("*") } end

function commands.PEXPIRE(key, ms)
  ms = integer(ms)
  if not entry(key) then return 0 end
  keys[key].ends = micros() // 1000 + ms
  return 1
end

function commands.PTTL(key)
  local found = entry(key)
  return not found and -2 or not found.ends and -1 or found.ends - micros() // 1000
end

function commands.PERSIST(key)
  local found = entry(key)
  if not (found and found.ends) then return 0 end
  found.ends = nil
  return 1
end

-- Strings.

function commands.GET(key) return value(key, "string") or false end
function commands.MGET(...)
  local values = {}
  for at, key in ipairs({ ... }) do
    local found = entry(key)
    values[at] = found and found.kind == "string" and found.value or false
  end
  return values
end

function commands.SET(key, text, ...)
  local options, ends = {}, nil
  local words = { ... }
  for at, word in ipairs(words) do options[word:upper()] = words[at + 1] or true end
  if options.PX then ends = micros() // 1000 + integer(options.PX) end
  if options.NX and entry(key) then return false end
  if options.KEEPTTL and entry(key) then ends = entry(key).ends end
  store(key, "string", text)
  keys[key].ends = ends
  return OK
end
local function add(key, by)
  local sum = integer(value(key, "string") or "0") + by
  if not entry(key) then store(key, "string", "") end
  keys[key].value = tostring(sum)
  return sum
end

function commands.INCRBY(key, by) return add(key, integer(by)) end
function commands.DECRBY(key, by) return add(key, -integer(by)) end

-- The server.

function commands.PING() return { ok = "PONG" } end
function commands.TIME() return { tostring(micros() // 1000000), tostring(micros() % 1000000) } end
function commands.CONFIG() return { "dir", directory } end
function commands.CLIENT() return OK end
function commands.SELECT() return OK end

return commands, { value = value, existing = existing, replace = replace, integer = integer }
