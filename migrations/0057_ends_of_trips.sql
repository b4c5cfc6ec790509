-- A trip is good for a quarter of an hour, and holds what was posted to it: nothing needs it longer, once that is settled.
CREATE OR REPLACE FUNCTION pippin_purge_provider_trips(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH over AS MATERIALIZED (
        SELECT team_id, state_hash FROM provider_trips
        WHERE (answered_at IS NULL OR settled_at IS NOT NULL) AND created_at < now() - interval '20 minutes'
        ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
    ), waiting AS MATERIALIZED (
        SELECT team_id, state_hash FROM provider_trips
        WHERE answered_at IS NOT NULL AND settled_at IS NULL AND created_at < now() - interval '7 days'
        ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
    ), purged AS (
        DELETE FROM provider_trips WHERE (team_id, state_hash) IN (
            (SELECT team_id, state_hash FROM over UNION ALL SELECT team_id, state_hash FROM waiting) LIMIT batch
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
