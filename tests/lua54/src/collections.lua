-- collections: the commands on lists, sorted sets and hashes.
local commands, keyspace = ...
local value, existing, replace, integer = keyspace.value, keyspace.existing, keyspace.replace, keyspace.integer
local OK = { ok = "OK" }

-- Converts the first and last index of a command to indices of a Lua list. Negative indices count from the end.
local function range(from, to, length)
  from, to = integer(from), integer(to)
  from, to = from < 0 and from + length or from, to < 0 and to + length or to
  return math.max(from, 0) + 1, math.min(to + 1, length)
end

local function slice(list, from, to)
  return { table.unpack(list, range(from, to, #list)) }
end

-- Lists.

function commands.LLEN(key) return #(value(key, "list") or {}) end
function commands.LINDEX(key, index) return slice(value(key, "list") or {}, index, index)[1] or false end
function commands.LRANGE(key, from, to) return slice(value(key, "list") or {}, from, to) end
function commands.RPUSH(key, ...)
  local list = existing(key, "list")
  for _, text in ipairs({ ... }) do list[#list + 1] = text end
  return #list
end

function commands.LPUSH(key, text)
  table.insert(existing(key, "list"), 1, text)
  return #value(key, "list")
end

function commands.LTRIM(key, from, to)
  local list = value(key, "list")
  if not list then return OK end
  replace(key, slice(list, from, to))
  return OK
end

function commands.LREM(key, most, text)
  local list, removed = value(key, "list") or {}, 0
  most = integer(most)
  local from, to, step = 1, #list, 1
  if most < 0 then from, to, step = #list, 1, -1 end
  for at = from, to, step do
    if list[at] == text and (most == 0 or removed < math.abs(most)) then list[at], removed = false, removed + 1 end
  end
  local left = {}
  for _, one in ipairs(list) do left[#left + 1] = one or nil end
  if removed > 0 then replace(key, left) end
  return removed
end

-- Sorted sets. The value of a key maps members to scores. The sorted members are computed when a command needs them.

local orders = setmetatable({}, { __mode = "k" })

local function score_text(score)
  return string.format("%.17g", score)
end

local function before(a, b)
  return a.score < b.score or a.score == b.score and a.member < b.member
end

local function ordered(key)
  local scores, members = value(key, "zset"), {}
  if not scores then return members end
  if orders[scores] then return orders[scores] end
  for member, score in pairs(scores) do members[#members + 1] = { member = member, score = score } end
  table.sort(members, before)
  orders[scores] = members
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

-- Parses a bound of scores, such as `5`, `(5` or `+inf`. -> the number, and whether the bound excludes it.
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

function commands.ZADD(key, ...)
  local words, only_new, added = { ... }, false, 0
  if words[1] == "NX" then
    only_new = true
    table.remove(words, 1)
  end
  local members = existing(key, "zset")
  orders[members] = nil
  for at = 1, #words, 2 do
    local score, member = tonumber(words[at]), words[at + 1]
    if not members[member] then added = added + 1 end
    if not (only_new and members[member]) then members[member] = score end
  end
  return added
end

function commands.ZCARD(key) return #ordered(key) end
function commands.ZSCORE(key, member)
  local score = (value(key, "zset") or {})[member]
  return score and score_text(score) or false
end

function commands.ZRANK(key, member)
  for at, one in ipairs(ordered(key)) do
    if one.member == member then return at - 1 end
  end
  return false
end

function commands.ZCOUNT(key, low, high) return #within(key, low, high) end

-- Returns members by rank, or the member with the highest score in a range: `BYSCORE REV LIMIT 0 1 WITHSCORES`. The scripts use
-- no other form by score.
function commands.ZRANGE(key, from, to, ...)
  local form = table.concat({ ... }, " ")
  if form ~= "BYSCORE REV LIMIT 0 1 WITHSCORES" then return shown(slice(ordered(key), from, to), form ~= "") end
  local found = within(key, to, from)
  return shown({ found[#found] }, true)
end

function commands.ZRANGEBYSCORE(key, low, high, ...)
  local words, found = { ... }, within(key, low, high)
  local with_scores = words[1] == "WITHSCORES" and table.remove(words, 1)
  if words[1] == "LIMIT" then found = { table.unpack(found, words[2] + 1, words[2] + words[3]) } end
  return shown(found, with_scores)
end

function commands.ZREM(key, ...)
  local members, removed = value(key, "zset"), 0
  if not members then return 0 end
  orders[members] = nil
  for _, member in ipairs({ ... }) do
    removed, members[member] = removed + (members[member] and 1 or 0), nil
  end
  replace(key, members)
  return removed
end

function commands.ZREMRANGEBYSCORE(key, low, high)
  local found = within(key, low, high)
  if #found > 0 then commands.ZREM(key, table.unpack(shown(found))) end
  return #found
end

-- Hashes.

function commands.HGET(key, field) return (value(key, "hash") or {})[field] or false end
function commands.HMGET(key, ...)
  local values, hash = {}, value(key, "hash") or {}
  for at, field in ipairs({ ... }) do values[at] = hash[field] or false end
  return values
end

function commands.HGETALL(key)
  local reply = {}
  for field, text in pairs(value(key, "hash") or {}) do table.move({ field, text }, 1, 2, #reply + 1, reply) end
  return reply
end

function commands.HSET(key, ...)
  local hash, words, added = existing(key, "hash"), { ... }, 0
  for at = 1, #words, 2 do
    added, hash[words[at]] = added + (hash[words[at]] and 0 or 1), words[at + 1]
  end
  return added
end

function commands.HDEL(key, ...)
  local hash, removed = value(key, "hash") or {}, 0
  for _, field in ipairs({ ... }) do
    removed, hash[field] = removed + (hash[field] and 1 or 0), nil
  end
  if removed > 0 then replace(key, hash) end
  return removed
end
