-- A persistent Lua: globals stay from block to block.
local marks = assert(io.open(os.getenv("REPLOOP_DIRECTORY") .. "/marks", "w"))
marks:setvbuf("no")
io.stdout:setvbuf("no")
local Exit = {}
os.exit = function(status)
  if status == nil or status == true then status = 0 elseif status == false then status = 1 end
  error(setmetatable({ status = status }, Exit), 0)
end

local function explained(problem)
  if getmetatable(problem) == Exit then return problem end
  return debug.traceback(tostring(problem), 2)
end

for order in io.lines() do
  local path, token = order:match("^([^\t]*)\t[^\t]*\t[^\t]*\t(.*)$")
  local source = assert(io.open(path, "rb"))
  local text = source:read("a")
  source:close()
  local status = 0
  local chunk, problem = load("return " .. text, "=block")
  if not chunk then chunk, problem = load(text, "=block") end
  if chunk then
    local result = table.pack(xpcall(chunk, explained))
    problem = not result[1] and result[2] or nil
    if result[1] and result.n > 1 then print(table.unpack(result, 2, result.n)) end
  end
  if getmetatable(problem) == Exit then
    status = problem.status
  elseif problem then
    io.stderr:write(tostring(problem), "\n")
    status = 1
  end
  io.stdout:flush()
  marks:write(token, " ", tostring(status), "\n")
end
