-- commands: the commands that the scripts and the tests use, on a keyspace in Lua. Arguments are strings.
local micros, directory = ...
local NOTHING = { err = "WRONGTYPE Operation against a key holding the wrong kind of value" }
local NO_INTEGER = { err = "ERR value is not an integer or out of range" }
local OK = { ok = "OK" }
local commands, keys = {}, {}

-- Keys. An entry has a kind, a value, and the time in ms at which it ends.

local function entry(key)
  local found = keys[key]
  if found and found.ends and found.ends <= micros() // 1000 then
    keys[key], found = nil, nil
  end
  return found
end

-- -> the value of a key, nil if there is none. Another kind ends the command.
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

local function drop_if_empty(key, list)
  if next(list) == nil then keys[key] = nil end
end

-- As Redis reads it: no spaces, no leading zeros, no other spelling.
local function integer(text)
  local number = (text == "0" or text:find("^-?[1-9]%d*$")) and tonumber(text)
  if math.type(number) ~= "integer" then error(NO_INTEGER, 0) end
  return number
end

-- Turns the first and last index, of which negative ones count from the end, into those of a Lua list.
local function range(from, to, length)
  from, to = integer(from), integer(to)
  from, to = from < 0 and from + length or from, to < 0 and to + length or to
  return math.max(from, 0) + 1, math.min(to + 1, length)
end

local function slice(list, from, to)
  return { table.unpack(list, range(from, to, #list)) }
end

local function command(name, implementation)
  commands[name] = function(...)
    local results = table.pack(pcall(implementation, ...))
    if results[1] or type(results[2]) == "table" then return results[2] end
    return { err = "ERR " .. results[2] }
  end
end

command("DEL", function(...)
  local deleted = 0
  for _, key in ipairs({ ... }) do
    deleted, keys[key] = deleted + (entry(key) and 1 or 0), nil
  end
  return deleted
end)
command("EXISTS", function(key) return entry(key) and 1 or 0 end)
command("TYPE", function(key) return { ok = entry(key) and entry(key).kind or "none" } end)
command("DBSIZE", function() return #commands.KEYS("*") end)
command("FLUSHALL", function()
  keys = {}
  return OK
end)
command("KEYS", function(pattern)
  local found, start = {}, pattern:match("^([^*]*)%*$")
  for key in pairs(keys) do
    if key == pattern or start and key:sub(1, #start) == start then found[#found + 1] = key end
  end
  return found
end)
command("PEXPIRE", function(key, ms)
  ms = integer(ms)
  if not entry(key) then return 0 end
  keys[key].ends = micros() // 1000 + ms
  return 1
end)
command("PTTL", function(key)
  local found = entry(key)
  return not found and -2 or not found.ends and -1 or found.ends - micros() // 1000
end)
command("PERSIST", function(key)
  local found = entry(key)
  if not (found and found.ends) then return 0 end
  found.ends = nil
  return 1
end)

-- Strings.

command("GET", function(key) return value(key, "string") or false end)
command("MGET", function(...)
  local values = {}
  for at, key in ipairs({ ... }) do
    local found = entry(key)
    values[at] = found and found.kind == "string" and found.value or false
  end
  return values
end)
command("SET", function(key, text, ...)
  local options, ends = {}, nil
  local words = { ... }
  for at, word in ipairs(words) do options[word:upper()] = words[at + 1] or true end
  if options.PX then ends = micros() // 1000 + integer(options.PX) end
  if options.NX and entry(key) then return false end
  if options.KEEPTTL and entry(key) then ends = entry(key).ends end
  store(key, "string", text)
  keys[key].ends = ends
  return OK
end)
local function add(key, by)
  local sum = integer(value(key, "string") or "0") + by
  if not entry(key) then store(key, "string", "") end
  keys[key].value = tostring(sum)
  return sum
end
command("INCRBY", function(key, by) return add(key, integer(by)) end)
command("DECRBY", function(key, by) return add(key, -integer(by)) end)

-- Lists.

command("LLEN", function(key) return #(value(key, "list") or {}) end)
command("LINDEX", function(key, index) return slice(value(key, "list") or {}, index, index)[1] or false end)
command("LRANGE", function(key, from, to) return slice(value(key, "list") or {}, from, to) end)
command("RPUSH", function(key, ...)
  local list = existing(key, "list")
  for _, text in ipairs({ ... }) do list[#list + 1] = text end
  return #list
end)
command("LPUSH", function(key, text)
  table.insert(existing(key, "list"), 1, text)
  return #keys[key].value
end)
command("LTRIM", function(key, from, to)
  local list = value(key, "list")
  if not list then return OK end
  keys[key].value = slice(list, from, to)
  drop_if_empty(key, keys[key].value)
  return OK
end)
command("LREM", function(key, most, text)
  local list, removed = value(key, "list") or {}, 0
  most = integer(most)
  local from, to, step = 1, #list, 1
  if most < 0 then from, to, step = #list, 1, -1 end
  for at = from, to, step do
    if list[at] == text and (most == 0 or removed < math.abs(most)) then list[at], removed = false, removed + 1 end
  end
  local left = {}
  for _, one in ipairs(list) do left[#left + 1] = one or nil end
  if removed > 0 then
    keys[key].value = left
    drop_if_empty(key, left)
  end
  return removed
end)

-- Sorted sets: the scores by member. The members in order are computed when they are needed.

local function score_text(score)
  return string.format("%.17g", score)
end

local function before(a, b)
  return a.score < b.score or a.score == b.score and a.member < b.member
end

local function ordered(key)
  local scores, members = value(key, "zset"), {}
  if not scores then return members end
  if keys[key].ordered then return keys[key].ordered end
  for member, score in pairs(scores) do members[#members + 1] = { member = member, score = score } end
  table.sort(members, before)
  keys[key].ordered = members
  return members
end

local function shown(members, with_scores)
  local reply = {}
  for _, one in ipairs(members) do
    reply[#reply + 1] = one.member
    if with_scores then reply[#reply + 1] = score_text(one.score) end
  end
  return reply
end

-- A bound of scores, as `5`, `(5` or `+inf`.
local function bound(text)
  local open, number = text:match("^(%(?)(.*)$")
  number = number:gsub("^%+?inf$", "1e999"):gsub("^-inf$", "-1e999")
  return tonumber(number) or error({ err = "ERR min or max is not a float" }, 0), open == "("
end

local function within(key, low, high)
  local found, least, above, most, below = {}, bound(low)
  most, below = bound(high)
  for _, one in ipairs(ordered(key)) do
    local score = one.score
    local reaches = score > least or score == least and not above
    if reaches and (score < most or score == most and not below) then found[#found + 1] = one end
  end
  return found
end

command("ZADD", function(key, ...)
  local words, only_new, added = { ... }, false, 0
  if words[1] == "NX" then
    only_new = true
    table.remove(words, 1)
  end
  local members = existing(key, "zset")
  keys[key].ordered = nil
  for at = 1, #words, 2 do
    local score, member = tonumber(words[at]), words[at + 1]
    if not members[member] then added = added + 1 end
    if not (only_new and members[member]) then members[member] = score end
  end
  return added
end)
command("ZCARD", function(key) return #ordered(key) end)
command("ZSCORE", function(key, member)
  local score = (value(key, "zset") or {})[member]
  return score and score_text(score) or false
end)
command("ZRANK", function(key, member)
  for at, one in ipairs(ordered(key)) do
    if one.member == member then return at - 1 end
  end
  return false
end)
command("ZCOUNT", function(key, low, high) return #within(key, low, high) end)
command("ZRANGE", function(key, from, to, with_scores) return shown(slice(ordered(key), from, to), with_scores) end)
command("ZRANGEBYSCORE", function(key, low, high, ...)
  local words, found = { ... }, within(key, low, high)
  local with_scores = words[1] == "WITHSCORES" and table.remove(words, 1)
  if words[1] == "LIMIT" then found = { table.unpack(found, words[2] + 1, words[2] + words[3]) } end
  return shown(found, with_scores)
end)
command("ZREM", function(key, ...)
  local members, removed = value(key, "zset"), 0
  if not members then return 0 end
  keys[key].ordered = nil
  for _, member in ipairs({ ... }) do
    removed, members[member] = removed + (members[member] and 1 or 0), nil
  end
  drop_if_empty(key, members)
  return removed
end)
command("ZREMRANGEBYSCORE", function(key, low, high)
  local found = within(key, low, high)
  if #found > 0 then commands.ZREM(key, table.unpack(shown(found))) end
  return #found
end)

-- Hashes.

command("HGET", function(key, field) return (value(key, "hash") or {})[field] or false end)
command("HMGET", function(key, ...)
  local values, hash = {}, value(key, "hash") or {}
  for at, field in ipairs({ ... }) do values[at] = hash[field] or false end
  return values
end)
command("HGETALL", function(key)
  local reply = {}
  for field, text in pairs(value(key, "hash") or {}) do table.move({ field, text }, 1, 2, #reply + 1, reply) end
  return reply
end)
command("HSET", function(key, ...)
  local hash, words, added = existing(key, "hash"), { ... }, 0
  for at = 1, #words, 2 do
    added, hash[words[at]] = added + (hash[words[at]] and 0 or 1), words[at + 1]
  end
  return added
end)
command("HDEL", function(key, ...)
  local hash, removed = value(key, "hash") or {}, 0
  for _, field in ipairs({ ... }) do
    removed, hash[field] = removed + (hash[field] and 1 or 0), nil
  end
  if removed > 0 then drop_if_empty(key, hash) end
  return removed
end)

-- The server.

command("PING", function() return { ok = "PONG" } end)
command("TIME", function() return { tostring(micros() // 1000000), tostring(micros() % 1000000) } end)
command("CONFIG", function() return { "dir", directory } end)
command("CLIENT", function() return OK end)
command("SELECT", function() return OK end)

return commands
