-- scripts: runs scripts like an engine with Lua 5.4, and encodes replies in the protocol of Redis.
--
-- A script fails its test if it passes a float to a command, returns a float, or uses an unknown global. From then on, every
-- reply of the server is this error. (Engines differ in how they convert a float.)
local commands, sha1 = ...
local broken, known = nil, {}

local function fail(what)
  broken = broken or "ERR " .. what
  error({ err = broken }, 0)
end

local function run(name, ...)
  local command = commands[name:upper()]
  if not command then error({ err = "ERR unknown command '" .. name .. "'" }, 0) end
  return command(...)
end

local function as_error(problem)
  return type(problem) == "table" and problem or { err = "ERR " .. problem }
end

-- Runs a command of a script.
local function call(name, ...)
  local arguments, number = { ... }, select("#", ...)
  for at = 1, number do
    local argument = arguments[at]
    local kind = math.type(argument) or type(argument)
    if kind == "float" then fail("a script passes the float " .. argument .. " to " .. name) end
    if kind ~= "integer" and kind ~= "string" then fail("a script passes " .. kind .. " to " .. name) end
    arguments[at] = tostring(argument)
  end
  return run(name, table.unpack(arguments, 1, number))
end

local redis = {
  call = call,
  pcall = function(...)
    local ran, reply = pcall(call, ...)
    return ran and reply or not ran and as_error(reply)
  end,
  error_reply = function(text) return { err = text } end,
}

-- The globals of a script: parts of the standard library of Lua 5.4, and the library `struct` of Redis.
local function only(library, ...)
  local found = {}
  for _, name in ipairs({ ... }) do found[name] = library[name] end
  return found
end
local environment = only(_G, "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "select",
  "setmetatable", "string", "table", "tonumber", "tostring", "type")
environment.math = only(math, "abs", "ceil", "floor", "huge", "log", "max", "min", "type")
environment.struct = { pack = string.pack }
environment.redis = redis
setmetatable(environment, { __index = function(_, name) fail("a script uses the unknown global " .. name) end })

local function evaluate(script, number, ...)
  number = math.tointeger(tonumber(number))
  environment.KEYS, environment.ARGV = { table.unpack({ ... }, 1, number) }, { select(number + 1, ...) }
  local ran, reply = pcall(script)
  return ran and reply or not ran and as_error(reply)
end

-- Compiles and stores a script. -> its digest.
local function learn(text)
  local script, problem = load(text, "=script", "t", environment)
  if not script then error({ err = "ERR error compiling script: " .. problem }, 0) end
  local digest = sha1(text)
  known[digest] = script
  return digest
end

function commands.EVAL(text, ...) return evaluate(known[learn(text)], ...) end

function commands.EVALSHA(digest, ...)
  if not known[digest] then return { err = "NOSCRIPT No matching script" } end
  return evaluate(known[digest], ...)
end

function commands.SCRIPT(what, text)
  if what == "FLUSH" then
    known = {}
    return { ok = "OK" }
  end
  return learn(text)
end

local function encode(reply)
  local kind = math.type(reply) or type(reply)
  if kind == "integer" then return ":" .. reply .. "\r\n" end
  if kind == "float" then fail("a script replies the float " .. reply) end
  if kind == "string" then return "$" .. #reply .. "\r\n" .. reply .. "\r\n" end
  if kind == "nil" or reply == false then return "$-1\r\n" end
  if reply == true then return ":1\r\n" end
  if reply.err then return "-" .. reply.err:gsub("[\r\n]", " ") .. "\r\n" end
  if reply.ok then return "+" .. reply.ok .. "\r\n" end
  local parts = {}
  for at, part in ipairs(reply) do parts[at] = encode(part) end
  return "*" .. #parts .. "\r\n" .. table.concat(parts)
end

return function(words)
  local ran, bytes = pcall(function() return encode(run(table.unpack(words))) end)
  if broken then return "-" .. broken .. "\r\n" end
  return ran and bytes or encode(as_error(bytes))
end
