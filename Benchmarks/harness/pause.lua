-- For wrk: each connection waits before its next request. HEDDLE_BENCH_PAUSE is the time in milliseconds.
local pause = tonumber(os.getenv("HEDDLE_BENCH_PAUSE"))

function delay()
  return pause
end
