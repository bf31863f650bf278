-- SPDX-License-Identifier: GPL-3.0-or-later
-- Work for an interpreter under test: sorting, string building, pattern matching.
-- Prints the same each time: its random numbers are its own.  ./work.lua [SIZE]

local size = tonumber(arg and arg[1]) or 1

local seed = 12345
local function random(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit + 1
end

local function sort_numbers(count)
  local numbers = {}
  for i = 1, count do numbers[i] = random(1000000) end
  table.sort(numbers)
  table.sort(numbers, function(a, b) return a > b end)
  local sum = 0
  for i, number in ipairs(numbers) do sum = (sum * 31 + number + i) % 1000000007 end
  return sum
end

local words = {"lorem", "ipsum", "dolor", "sit", "amet", "elit", "sed", "magna"}

local function build_text(count)
  local parts = {}
  for i = 1, count do
    parts[#parts + 1] = words[random(#words)] .. (i % 7 == 0 and string.format("%05d", i) or "")
    if i % 11 == 0 then parts[#parts] = parts[#parts]:upper():reverse() end
  end
  return table.concat(parts, " ")
end

local function match_patterns(text)
  local count, longest = {}, ""
  for word in text:gmatch("%a+") do
    count[word] = (count[word] or 0) + 1
    if #word > #longest then longest = word end
  end
  local digits = select(2, text:gsub("%d+", function(digit) return "<" .. digit .. ">" end))
  local keys = {}
  for word in pairs(count) do keys[#keys + 1] = word end
  table.sort(keys)
  for i, word in ipairs(keys) do keys[i] = word .. "=" .. count[word] end
  return #text, digits, longest, table.concat(keys, ",")
end

local function with_errors(count)
  local caught = 0
  for i = 1, count do
    local ok = pcall(function() if i % 3 == 0 then error({code = i}) end return i end)
    if not ok then caught = caught + 1 end
  end
  return caught
end

local function with_coroutines(count)
  local sum = 0
  local generator = coroutine.wrap(function() for i = 1, count do coroutine.yield(i) end end)
  for _ = 1, count do sum = sum + generator() end
  return sum
end

print("sorted", sort_numbers(3000 * size))
print("matched", match_patterns(build_text(2500 * size)))
print("caught", with_errors(1000 * size))
print("yielded", with_coroutines(1000 * size))
os.exit(3, true)
