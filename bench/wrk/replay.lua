-- Sends each request of a file once, in order: wrk … -s replay.lua URL -- FILE
-- Thread n reads FILE.n, written by bench/limits/mint.c. Stops early when the file ends.

dofile("bench/wrk/report.lua")

local number = 0
local file, last

function setup(thread)
  thread:set("lane", number)
  number = number + 1
end

function init(arguments)
  file = assert(io.open(arguments[1] .. "." .. lane, "rb"))
end

function request()
  local length = file:read("*n")
  if not length then
    wrk.thread:stop()
    return last
  end
  file:read(1)
  last = file:read(length)
  return last
end
