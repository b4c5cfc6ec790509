-- Sends each request of a file once, at a steady rate: wrk … -s paced.lua URL -- FILE RATE
-- RATE is what all threads together send in a second. A request that is late for want of a free connection goes at once.

dofile("bench/wrk/replay.lua")

local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds, nanoseconds; } moment;
  int clock_gettime(int clock, moment *now);
]]

local MONOTONIC, THREADS = 1, 2
local clock = ffi.new("moment[1]")
local open, interval, due = init, nil, nil

local function milliseconds()
  ffi.C.clock_gettime(MONOTONIC, clock)
  return tonumber(clock[0].seconds) * 1e3 + tonumber(clock[0].nanoseconds) / 1e6
end

function init(arguments)
  open(arguments)
  interval = 1e3 * THREADS / tonumber(arguments[2])
end

function delay()
  local now = milliseconds()
  due = (due or now) + interval
  return math.max(0, due - now)
end
