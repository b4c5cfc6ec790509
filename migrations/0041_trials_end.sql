-- What a trial has seen holds a person's data: it goes a day after its beginning, whether or not the team tries again.
CREATE INDEX trials_created_at ON trials (created_at);
CREATE FUNCTION pippin_purge_trials(batch integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH purged AS (
        DELETE FROM trials WHERE (team_id, trial_id) IN (
            SELECT team_id, trial_id FROM trials WHERE created_at <= now() - interval '1 day'
            ORDER BY created_at LIMIT batch FOR UPDATE SKIP LOCKED
        )
        RETURNING 1
    )
    SELECT count(*) FROM purged
$$;
REVOKE EXECUTE ON FUNCTION pippin_purge_trials FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_purge_trials TO pippin_system;
