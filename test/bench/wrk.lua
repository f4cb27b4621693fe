-- Sends the requests of a prepared file in turn. Writes a unique number into each request that has a mark for it.
-- wrk … -- <file> <first number> <check>; the check is none, time, end, or batch:<parts>.
-- The file contains the requests one after the other: for each, its length in bytes, a line feed, and its text.
local ffi = require('ffi')
ffi.cdef('typedef struct { long s; long ns; } bench_time; int clock_gettime(int, bench_time *);')
local clock = ffi.new('bench_time')
local mark = string.rep('@', 12)
local requests = {}
local nth = 0
local serial = 0
local calls = 0

first, last, answered, refused, sample = 0, 0, 0, 0, ''

local function now()
  ffi.C.clock_gettime(1, clock)
  return tonumber(clock.s) + tonumber(clock.ns) / 1e9
end

-- Returns the pieces between marks at odd indices. The numbers go to the even indices.
local function split(text)
  local pieces = {}
  local from = 1
  while true do
    local at = text:find(mark, from, true)
    if not at then break end
    pieces[#pieces + 1] = text:sub(from, at - 1)
    pieces[#pieces + 1] = ''
    from = at + #mark
  end
  if from == 1 then return text end
  pieces[#pieces + 1] = text:sub(from)
  return pieces
end

local function read(name)
  local file = assert(io.open(name, 'rb'))
  while true do
    local length = file:read('*n')
    if not length then break end
    file:read(1)
    requests[#requests + 1] = split(file:read(length))
  end
  file:close()
end

local function fill(pieces)
  serial = serial + 1
  local number = string.format('%012.0f', serial)
  for at = 2, #pieces, 2 do pieces[at] = number end
  return table.concat(pieces)
end

local function refuse(status, body)
  refused = refused + 1
  if sample == '' then sample = status .. ' ' .. body:sub(1, 300) end
end

local function checkBatch(parts)
  return function(status, _, body)
    last = now()
    answered = answered + 1
    local _, count = body:gsub('HTTP/1.1 204', '')
    if status ~= 202 or count ~= parts then refuse(status, body) end
  end
end

local function checkTime(status, _, body)
  last = now()
  answered = answered + 1
  if status > 299 then refuse(status, body) end
end

local function checkEnd(status, headers, body)
  checkTime(status, headers, body)
  for name in pairs(headers) do
    if name:lower():find('x-ms-continuation', 1, true) then refuse(status, 'continued') end
  end
end

function setup(thread) worker = thread end

function init(args)
  read(args[1])
  serial = tonumber(args[2])
  local parts = args[3]:match('^batch:(%d+)$')
  if parts then response = checkBatch(tonumber(parts)) end
  if args[3] == 'time' then response = checkTime end
  if args[3] == 'end' then response = checkEnd end
end

function request()
  -- wrk calls this once before it starts, to look at the first request.
  calls = calls + 1
  if calls == 2 then first = now() end
  nth = nth % #requests + 1
  local text = requests[nth]
  if type(text) == 'string' then return text end
  return fill(text)
end

function done(summary, latency)
  local errors = summary.errors
  local figures = {
    answered = summary.requests,
    seconds = summary.duration / 1e6,
    bytes = summary.bytes,
    refused = errors.status + worker:get('refused'),
    broken = errors.connect + errors.read + errors.write + errors.timeout,
    timed = worker:get('answered'),
    timedSeconds = worker:get('last') - worker:get('first'),
  }
  io.write('figures')
  for name, value in pairs(figures) do io.write(string.format(' %s=%.6f', name, value)) end
  io.write('\nsample ', (worker:get('sample'):gsub('%c', ' ')), '\n')
end
