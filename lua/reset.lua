-- reset: forgets the units and the gate of a key. If the key holds a number, an empty state of the next generation (head.lua) takes
-- its place, and lives 1 s longer than the old state would have lived. By its generation, `give` knows charges from before the
-- reset: their units are not given back. Logs and permits are deleted, because their charges are found by themselves.
--
-- KEYS    one.
-- Reply   1 if there was a state or a gate, otherwise 0.
-- Errors  only those of the server.
local key = KEYS[1]
local text = redis.pcall("GET", key)
if not text then return 0 end
if type(text) == "string" then
  local state, before = string.match(text, "^(%d*)/[01]%d(%d%d)" .. string.rep("%d", 42) .. "$")
  local lives = redis.call("PTTL", key)
  if lives > 0 and (state and state .. before ~= "00" or string.find(text, "^%d+$")) then
    local empty = string.format("/00%02.0f", (before or 0) % 62 + 1) .. string.rep("0", 42)
    if state == "" and text == "/00" .. before .. string.rep("0", 42) then return 0 end
    -- A server that refuses to write for lack of memory still deletes.
    local reply = redis.pcall("SET", key, empty, "PX", string.format("%.0f", lives + 1000))
    if not reply.err then return 1 end
  end
end
return redis.call("DEL", key)
