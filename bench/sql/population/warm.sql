-- What tokens need is in memory, as where such a population has been served for hours: otherwise a run of seconds measures
-- how each page is read from the system for the first time.
CREATE EXTENSION IF NOT EXISTS pg_prewarm;
WITH served AS (
    SELECT oid FROM pg_class WHERE oid IN ('users'::regclass, 'consents'::regclass, 'refresh_tokens'::regclass)
)
SELECT sum(pg_prewarm(warm.oid))
FROM (
    SELECT oid FROM served UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM served)
) AS warm;
