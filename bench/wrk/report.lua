-- What every script here prints when it is done: one line of JSON that bench/generator.py reads.

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests": %d, "seconds": %.6f, "p50_ms": %.3f, "p99_ms": %.3f, "errors": %d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
