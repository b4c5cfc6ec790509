-- runs-with: 0001
-- needed: later

-- For retention, which looks across teams. By an index of the plain days the counts of one team could be read in a walk past those
-- of all others.
CREATE INDEX CONCURRENTLY IF NOT EXISTS daily_counts_age ON daily_counts ((day + 400))
