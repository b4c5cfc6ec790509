-- Asks for one page again and again, as many clients: wrk … -s get.lua URL -- PATH [COOKIE]
-- Every request comes from a client address of its own and carries a state of its own in place of {n}.

dofile("bench/wrk/report.lua")

local number = 0
local before, after, tail

function setup(thread)
  thread:set("lane", number)
  number = number + 1
end

function init(arguments)
  local path, cookie = arguments[1], arguments[2]
  before, after = path:match("^(.-){n}(.*)$")
  before = "GET " .. (before or path)
  tail = " HTTP/1.1\r\nHost: localhost\r\n" .. (cookie and "Cookie: " .. cookie .. "\r\n" or "")
    .. "X-Forwarded-For: 10."
end

function request()
  number = number + 1
  local target = after and before .. lane .. "-" .. number .. after or before
  return target .. tail .. (lane * 64 + math.floor(number / 65536) % 64) .. "." .. math.floor(number / 256) % 256
    .. "." .. number % 256 .. "\r\n\r\n"
end
