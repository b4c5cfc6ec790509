-- A handover's body was kept and never read: the app has it until it has its answer. Releases before this one still write
-- it; the column goes with a later migration.
ALTER TABLE native_handovers ALTER COLUMN body_sealed DROP NOT NULL;

-- What is left of a handover tells a repeated one, which is the same for a minute.
CREATE OR REPLACE FUNCTION pippin_purge_native_handovers(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM native_handovers WHERE (team_id, body_hash) IN (
            SELECT team_id, body_hash FROM native_handovers
            WHERE created_at < now() - interval '1 hour'
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;

ALTER TABLE provider_trips
    -- When an answer that could not be settled is looked at again; NULL for one that was not looked at.
    ADD COLUMN settle_at timestamptz,
    ADD COLUMN settle_tries smallint NOT NULL DEFAULT 0;
-- Team by team, each in the order of what is due.
CREATE INDEX provider_trips_unsettled ON provider_trips (team_id, (coalesce(settle_at, answered_at)))
    WHERE answered_at IS NOT NULL AND settled_at IS NULL;
GRANT SELECT (settle_at) ON provider_trips TO pippin_system;
