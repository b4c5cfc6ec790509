-- Leaves nothing to be done that a measurement would pay for.
VACUUM ANALYZE;
